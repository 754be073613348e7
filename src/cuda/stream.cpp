#include "cuda/stream.h"

namespace pitot::cuda {
namespace {

constexpr unsigned kNonBlocking = 1;    // CU_STREAM_NON_BLOCKING
constexpr int kCaptureThreadLocal = 1;  // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

}  // namespace

Result<Stream> Stream::create(GpuRef gpu) {
  StreamHandle h = nullptr;
  if (Status s = gpu->api().check(gpu->api().stream_create(&h, kNonBlocking), "making a stream");
      !s)
    return s.error();
  Stream out;
  out.handle_ = std::shared_ptr<StreamTag>(
      h, [gpu](StreamHandle stream) { gpu->api().stream_destroy(stream); });
  out.gpu_ = std::move(gpu);
  return out;
}

Result<Event> Event::create(GpuRef gpu) {
  EventHandle h = nullptr;
  if (Status s = gpu->api().check(gpu->api().event_create(&h, 0), "making an event"); !s)
    return s.error();
  Event out;
  out.handle_ =
      std::shared_ptr<EventTag>(h, [gpu](EventHandle event) { gpu->api().event_destroy(event); });
  out.gpu_ = std::move(gpu);
  return out;
}

Result<double> Event::since(const Event& before) const {
  float ms = 0;
  if (Status s = gpu_->api().check(gpu_->api().event_elapsed(&ms, before.get(), get()),
                                   "reading the time between events");
      !s)
    return s.error();
  return static_cast<double>(ms);
}

Result<Graph> Graph::capture(GpuRef gpu, const Stream& stream,
                             const std::function<Status32()>& enqueue) {
  const Api& api = gpu->api();
  if (Status s =
          api.check(api.capture_begin(stream.get(), kCaptureThreadLocal), "recording a graph");
      !s)
    return s.error();
  const Status32 inside = enqueue();
  GraphHandle graph = nullptr;
  const Status32 ended = api.capture_end(stream.get(), &graph);
  const std::shared_ptr<GraphTag> owned(graph, [gpu](GraphHandle g) {
    if (g != nullptr) gpu->api().graph_destroy(g);
  });
  if (Status s = api.check(inside, "recording a launch"); !s) return s.error();
  if (Status s = api.check(ended, "recording a graph"); !s) return s.error();
  GraphExecHandle exec = nullptr;
  if (Status s = api.check(api.graph_instantiate(&exec, graph, 0), "making a graph ready"); !s)
    return s.error();
  Graph out;
  out.handle_ = std::shared_ptr<GraphExecTag>(
      exec, [gpu](GraphExecHandle h) { gpu->api().graph_exec_destroy(h); });
  out.gpu_ = std::move(gpu);
  return out;
}

}  // namespace pitot::cuda
