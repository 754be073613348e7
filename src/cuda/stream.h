// Streams, events and graphs of a GPU, released when they go.
#pragma once

#include <functional>

#include "cuda/gpu.h"

namespace pitot::cuda {

class Stream {
 public:
  static Result<Stream> create(GpuRef gpu);
  StreamHandle get() const { return handle_.get(); }
  Status32 synchronize() const { return gpu_->api().stream_synchronize(get()); }

 private:
  GpuRef gpu_;
  std::shared_ptr<StreamTag> handle_;
};

// A moment in a stream, with a time.
class Event {
 public:
  static Result<Event> create(GpuRef gpu);
  EventHandle get() const { return handle_.get(); }
  Status32 record(const Stream& stream) const {
    return gpu_->api().event_record(get(), stream.get());
  }
  Status32 wait() const { return gpu_->api().event_synchronize(get()); }
  // Milliseconds from `before` to this; both must have passed. Resolution about half a
  // microsecond.
  Result<double> since(const Event& before) const;

 private:
  GpuRef gpu_;
  std::shared_ptr<EventTag> handle_;
};

// Work that was recorded once and is started with one call.
class Graph {
 public:
  // Records what `enqueue` puts on the stream; its status is that of its first failing call.
  static Result<Graph> capture(GpuRef gpu, const Stream& stream,
                               const std::function<Status32()>& enqueue);
  Status32 launch(const Stream& stream) const {
    return gpu_->api().graph_launch(handle_.get(), stream.get());
  }

 private:
  GpuRef gpu_;
  std::shared_ptr<GraphExecTag> handle_;
};

}  // namespace pitot::cuda
