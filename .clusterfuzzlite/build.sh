#!/bin/bash -eu
# Builds the native fuzz targets as libFuzzer programs, one line each. Run by
# ClusterFuzzLite and OSS-Fuzz in a copy of the tree, which this changes; never
# run it in a working tree. testscripts/fuzzers_test.go holds the lines to the
# targets that there are.
#
# Left out are those that cannot be built so:
# left out: conformance/internal/transform FuzzTransforms: its package is transform_test
# left out: impl/access FuzzFetcher: its package is access_test
# left out: reports/doc FuzzWriters: its package is doc_test
# left out: fuzz FuzzDifferential: it keeps findings in a store, which nobody would read here, and opens subjects

cd "$SRC/repcheck"
module=github.com/repcheck/repcheck

# What rewrites the targets is part of the base image; this is what they call.
go get github.com/AdamKorcz/go-118-fuzz-build/testing@v0.0.0-20250520111509-a70c2aa677fa

# The compiler sees no test files but a target's own. What the targets of fuzz
# share becomes part of the package.
for shared in laws targets; do
	mv fuzz/${shared}_test.go fuzz/${shared}_shared.go
done

compile_native_go_fuzzer $module/conformance FuzzBaseline fuzz_baseline
compile_native_go_fuzzer $module/corpus FuzzDecode fuzz_decode
compile_native_go_fuzzer $module/corpus FuzzTally fuzz_tally
compile_native_go_fuzzer $module/fuzz FuzzProperties fuzz_properties
compile_native_go_fuzzer $module/fuzz/internal/generate FuzzDerive fuzz_derive
compile_native_go_fuzzer $module/fuzz/internal/generate FuzzEdit fuzz_edit
compile_native_go_fuzzer $module/fuzz/internal/generate FuzzGenerate fuzz_generate
compile_native_go_fuzzer $module/impl/process FuzzDecodeAnswer fuzz_decode_answer
compile_native_go_fuzzer $module/impl/process FuzzDecodeHello fuzz_decode_hello
compile_native_go_fuzzer $module/impl/process FuzzRequest fuzz_request
compile_native_go_fuzzer $module/impl/process FuzzServe fuzz_serve
compile_native_go_fuzzer $module/spec FuzzDecodeOctets fuzz_decode_octets
compile_native_go_fuzzer $module/spec FuzzLoad fuzz_load
compile_native_go_fuzzer $module/spec FuzzOctets fuzz_octets
compile_native_go_fuzzer $module/spec FuzzSelect fuzz_select
