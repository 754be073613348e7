// The Python module pitot._core: batches of environments, with NumPy arrays for what goes in and
// comes out. Python's lock is released while a batch works.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "knob_batch.h"
#include "results.h"
#include "transform_batch.h"

namespace py = pybind11;

namespace pitot::python {
namespace {

using Actions = py::array_t<int64_t, py::array::c_style | py::array::forcecast>;
using Seeds = std::vector<std::optional<uint64_t>>;
using Numbers = std::vector<std::optional<size_t>>;

template <class T>
py::array_t<T> rows(size_t count) {
  // By its shape: from a number alone pybind11 before 2.12 makes wrong strides under NumPy 2.
  return py::array_t<T>(std::vector<py::ssize_t>{static_cast<py::ssize_t>(count)});
}
template <class T>
py::array_t<T> rows(size_t count, size_t width) {
  return py::array_t<T>(
      std::vector<py::ssize_t>{static_cast<py::ssize_t>(count), static_cast<py::ssize_t>(width)});
}
template <class T>
std::span<T> span_of(py::array_t<T>& a) {
  return {a.mutable_data(), static_cast<size_t>(a.size())};
}

// What `of` says of each environment.
template <class F>
py::array_t<int64_t> numbers(size_t count, const F& of) {
  auto out = rows<int64_t>(count);
  for (size_t k = 0; k < count; ++k) out.mutable_data()[k] = static_cast<int64_t>(of(k));
  return out;
}

// Tables do not change: a copy is the table itself (gymnasium.make copies its arguments).
template <class T>
void bind_copies(py::class_<T, std::shared_ptr<T>>& c) {
  c.def("__copy__", [](std::shared_ptr<T> self) { return self; });
  c.def("__deepcopy__", [](std::shared_ptr<T> self, const py::dict&) { return self; });
}

void expect(const Actions& a, size_t count, size_t width) {
  if (static_cast<size_t>(a.size()) == count * width) return;
  throw py::value_error("actions have " + std::to_string(a.size()) + " numbers, not " +
                        std::to_string(count) + " x " + std::to_string(width));
}

// Rows of observations. `which` and the others are as long; `numbers` may be empty.
template <class Batch>
py::array_t<float> reset(Batch& batch, size_t width, const std::vector<size_t>& which,
                         const Seeds& seeds, const Numbers& numbers) {
  if (seeds.size() != which.size() || (!numbers.empty() && numbers.size() != which.size()))
    throw py::value_error("a seed and a number for each environment are wanted, or none at all");
  for (const size_t k : which)
    if (k >= batch.count()) throw py::value_error("there is no environment " + std::to_string(k));
  auto seen = rows<float>(which.size(), width);
  const std::span<float> to = span_of(seen);
  Status status = Ok{};
  {
    const py::gil_scoped_release release;
    status = batch.reset(which, seeds, numbers, to);
  }
  if (!status) raise(status.error());
  return seen;
}

py::tuple step_knobs(KnobBatch& batch, const Actions& actions) {
  const size_t n = batch.count(), width = batch.observation_size();
  expect(actions, n, batch.space().knobs.size());
  auto seen = rows<float>(n, width), last = rows<float>(n, width);
  auto reward = rows<double>(n), ms = rows<double>(n), baseline = rows<double>(n),
       speedup = rows<double>(n);
  auto truncated = rows<bool>(n);
  const KnobBatch::Out out{span_of(seen),     span_of(last),    span_of(reward),   span_of(ms),
                           span_of(baseline), span_of(speedup), span_of(truncated)};
  const std::span<const int64_t> choices(actions.data(), static_cast<size_t>(actions.size()));
  Status status = Ok{};
  {
    const py::gil_scoped_release release;
    status = batch.step(choices, out);
  }
  if (!status) raise(status.error());
  return py::make_tuple(seen, reward, truncated, ms, baseline, speedup, last);
}

py::array_t<int8_t> knob_masks(const KnobBatch& batch) {
  const size_t width = batch.mask(0).size();
  auto out = rows<int8_t>(batch.count(), width);
  int8_t* to = out.mutable_data();
  for (size_t k = 0; k < batch.count(); ++k)
    for (const bool open : batch.mask(k)) *to++ = open ? 1 : 0;
  return out;
}

py::tuple step_transforms(TransformBatch& batch, const Actions& actions) {
  const size_t n = batch.count(), width = batch.inputs();
  expect(actions, n, 1);
  auto seen = rows<float>(n, width), last = rows<float>(n, width);
  auto reward = rows<double>(n);
  auto terminated = rows<bool>(n), truncated = rows<bool>(n), closed = rows<bool>(n);
  const TransformBatch::Out out{span_of(seen),       span_of(last),      span_of(reward),
                                span_of(terminated), span_of(truncated), span_of(closed)};
  const std::span<const int64_t> chosen(actions.data(), static_cast<size_t>(actions.size()));
  Status status = Ok{};
  {
    const py::gil_scoped_release release;
    status = batch.step(chosen, out);
  }
  if (!status) raise(status.error());
  return py::make_tuple(seen, reward, terminated, truncated, closed, last);
}

py::array_t<int8_t> transform_masks(const TransformBatch& batch) {
  auto out = rows<int8_t>(batch.count(), batch.outputs());
  int8_t* to = out.mutable_data();
  for (size_t k = 0; k < batch.count(); ++k)
    for (size_t i = 0; i < batch.outputs(); ++i)
      *to++ = static_cast<int8_t>(batch.mask(k) >> i & 1);
  return out;
}

void bind_knobs(py::module_& m) {
  py::class_<knobs::TableReadings, std::shared_ptr<knobs::TableReadings>> sweep(
      m, "Sweep",
      "A recorded sweep over compile knobs (CSV of `pitot knobs sweep` or `counters`).");
  bind_copies(sweep);
  sweep
      .def(py::init([](const std::string& path) { return taken(read_sweep_file(path)); }),
           py::arg("path"))
      .def_property_readonly("knobs",
                             [](const knobs::TableReadings& r) {
                               std::vector<std::pair<std::string, std::vector<int64_t>>> out;
                               for (const auto& k : r.space().knobs)
                                 out.emplace_back(k.name, k.values);
                               return out;
                             })
      .def_property_readonly("cases", [](const knobs::TableReadings& r) {
        std::vector<std::pair<std::string, int64_t>> out;
        for (const auto& c : r.cases()) out.emplace_back(c.kernel, c.matrix_size);
        return out;
      });
  py::class_<KnobBatch, std::shared_ptr<KnobBatch>>(m, "KnobBatch")
      .def(py::init([](std::shared_ptr<knobs::TableReadings> sweep, size_t count,
                       uint32_t max_steps, bool states, bool sizes, std::vector<size_t> cases,
                       std::vector<int64_t> baseline, Autoreset autoreset) {
             knobs::EnvironmentOptions how{max_steps, states, sizes, std::move(cases),
                                           std::move(baseline)};
             return taken(KnobBatch::make(std::move(sweep), count, std::move(how), autoreset));
           }),
           py::arg("sweep"), py::arg("count"), py::arg("max_steps"), py::arg("states"),
           py::arg("sizes"), py::arg("cases"), py::arg("baseline"), py::arg("autoreset"))
      .def_property_readonly("observation_size", &KnobBatch::observation_size)
      .def(
          "numbers",
          [](const KnobBatch& b) {
            return numbers(b.count(), [&](size_t k) { return b.number(k); });
          },
          "of the cases")
      .def("masks", &knob_masks)
      .def("reset",
           [](KnobBatch& b, const std::vector<size_t>& which, const Seeds& seeds,
              const Numbers& cases) { return reset(b, b.observation_size(), which, seeds, cases); })
      .def("step", &step_knobs);
}

void bind_transforms(py::module_& m) {
  using environment::RecordedTable;
  py::class_<RecordedTable, std::shared_ptr<RecordedTable>> table(
      m, "ProgramTable", "Recorded programs of kernels and what they cost (`pitot learn table`).");
  bind_copies(table);
  table
      .def(py::init([](const std::string& path) { return taken(read_table_file(path)); }),
           py::arg("path"))
      .def_property_readonly("kernels",
                             [](const RecordedTable& t) {
                               std::vector<std::string> out;
                               for (const auto& k : t.kernels) out.push_back(k.name);
                               return out;
                             })
      .def_readonly("max_steps", &RecordedTable::max_steps)
      .def_property_readonly(
          "kind", [](const RecordedTable& t) { return std::string(search::to_string(t.kind)); });
  py::class_<TransformBatch, std::shared_ptr<TransformBatch>>(m, "TransformBatch")
      .def(py::init([](std::shared_ptr<RecordedTable> table, size_t count, bool wide,
                       uint32_t max_steps, bool distinct_images, bool strict, Autoreset autoreset) {
             const environment::EpisodeRules rules{
                 wide ? search::PolicyKind::kWide : search::PolicyKind::kPublished, max_steps,
                 distinct_images};
             return taken(TransformBatch::make(std::move(table), count, rules, strict, autoreset));
           }),
           py::arg("table"), py::arg("count"), py::arg("wide"), py::arg("max_steps"),
           py::arg("distinct_images"), py::arg("strict"), py::arg("autoreset"))
      .def_property_readonly("inputs", &TransformBatch::inputs)
      .def_property_readonly("outputs", &TransformBatch::outputs)
      .def(
          "kernels",
          [](const TransformBatch& b) {
            return numbers(b.count(), [&](size_t k) { return b.kernel(k); });
          },
          "by number")
      .def("masks", &transform_masks)
      .def("reset",
           [](TransformBatch& b, const std::vector<size_t>& which, const Seeds& seeds,
              const Numbers& kernels) { return reset(b, b.inputs(), which, seeds, kernels); })
      .def("step", &step_transforms);
  m.def("action_names", [](bool wide) {
    const auto kind = wide ? search::PolicyKind::kWide : search::PolicyKind::kPublished;
    std::vector<std::string> out;
    for (const auto& a : transform::actions())
      if (out.size() < search::actions_of(kind)) out.emplace_back(a.name);
    out.emplace_back("stop");
    return out;
  });
}

}  // namespace
}  // namespace pitot::python

PYBIND11_MODULE(_core, m) {
  using namespace pitot::python;
  m.doc() = "pitot's environments; pitot.knobs and pitot.transforms are Gymnasium's side of them.";
  m.attr("__version__") = PITOT_VERSION;
  py::enum_<Autoreset>(m, "Autoreset")
      .value("NEXT_STEP", Autoreset::kNextStep)
      .value("SAME_STEP", Autoreset::kSameStep)
      .value("DISABLED", Autoreset::kDisabled);
  bind_knobs(m);
  bind_transforms(m);
}
