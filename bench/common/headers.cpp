// A target needs a source: this one has the headers that the benchmarks include, compiled once for
// all.
