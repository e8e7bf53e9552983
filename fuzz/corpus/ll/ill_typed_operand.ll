target triple = "x86_64-pc-linux-gnu"

define i32 @main() {
  %1 = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 1, i38 1)
  %2 = extractvalue { i32, i1 } %1, 0
  ret i32 %2
}

declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
