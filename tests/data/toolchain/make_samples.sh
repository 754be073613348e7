#!/bin/sh
# Makes the sample binaries again (CUDA 13.0 made the committed ones): sh make_samples.sh
set -e
cd "$(dirname "$0")"
here=$PWD
work=$(mktemp -d /tmp/samples.XXXX)
cp saxpy.cu "$work"
cd "$work"
two="-gencode arch=compute_80,code=[sm_80,compute_80] -gencode arch=compute_90a,code=compute_90a"
nvcc -fatbin $two -compress-mode default -o zstd.fatbin saxpy.cu
nvcc -fatbin $two -compress-mode speed -o lz4.fatbin saxpy.cu
nvcc -fatbin $two -compress-mode none -o plain.fatbin saxpy.cu
nvcc -fatbin -gencode arch=compute_100f,code=[compute_100f,lto_100f] -o family.fatbin saxpy.cu
nvcc -fatbin -G -arch=sm_80 -o debug.fatbin saxpy.cu
nvcc -fatbin -gencode arch=compute_80,code=sm_80 -o code_only.fatbin saxpy.cu
nvcc -cubin -arch=sm_80 -o saxpy.cubin saxpy.cu
nvcc -cubin -G -arch=sm_80 -o debug.cubin saxpy.cu
nvcc -c -gencode arch=compute_80,code=[sm_80,compute_80] -gencode arch=compute_75,code=compute_75 -o saxpy.o saxpy.cu
nvcc -c -rdc=true -arch=compute_80 -code=compute_80 -o relocatable.o saxpy.cu
nvcc -c -arch=compute_75 -code=compute_75 -o a_member_with_a_long_name.o saxpy.cu
rm -f library.a
ar rcD library.a saxpy.o a_member_with_a_long_name.o
rm a_member_with_a_long_name.o
nvcc -shared -cudart none -Xcompiler -fPIC -arch=compute_80 -code=compute_80 -o library.so saxpy.cu \
  -Xlinker --unresolved-symbols=ignore-all
printf 'int f(void) { return 1; }\n' | gcc -c -x c -o no_device_code.o -
strip --strip-debug saxpy.o library.so
rm saxpy.cu
cp * "$here"
rm -r "$work"
