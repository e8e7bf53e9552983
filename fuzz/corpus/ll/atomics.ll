; ModuleID = 'atomics.c'
source_filename = "a.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@a = dso_local global i32 0, align 4
@v = dso_local global [3 x i32] zeroinitializer, align 4
@p = dso_local global ptr null, align 8

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
  %1 = alloca i32, align 4
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca i8, align 1
  %7 = alloca i32, align 4
  %8 = alloca ptr, align 8
  %9 = alloca i64, align 8
  store i32 0, ptr %1, align 4
  store i32 1, ptr %2, align 4
  %10 = load i32, ptr %2, align 4
  %11 = atomicrmw add ptr @a, i32 %10 seq_cst, align 4
  store i32 %11, ptr %3, align 4
  %12 = load i32, ptr %3, align 4
  store i32 1, ptr %4, align 4
  store i32 2, ptr %5, align 4
  %13 = load i32, ptr %4, align 4
  %14 = load i32, ptr %5, align 4
  %15 = cmpxchg ptr @a, i32 %13, i32 %14 seq_cst seq_cst, align 4
  %16 = extractvalue { i32, i1 } %15, 0
  %17 = extractvalue { i32, i1 } %15, 1
  br i1 %17, label %19, label %18

18:                                               ; preds = %0
  store i32 %16, ptr %4, align 4
  br label %19

19:                                               ; preds = %18, %0
  %20 = zext i1 %17 to i8
  store i8 %20, ptr %6, align 1
  %21 = load i8, ptr %6, align 1
  %22 = trunc i8 %21 to i1
  store i32 3, ptr %7, align 4
  %23 = load i32, ptr %7, align 4
  store atomic i32 %23, ptr @a release, align 4
  store atomic ptr @v, ptr @p seq_cst, align 8
  %24 = load atomic i32, ptr @a seq_cst, align 4
  %25 = and i32 %24, 1
  %26 = icmp ne i32 %25, 0
  %27 = zext i1 %26 to i64
  %28 = select i1 %26, i32 2, i32 3
  %29 = zext i32 %28 to i64
  %30 = call ptr @llvm.stacksave.p0()
  store ptr %30, ptr %8, align 8
  %31 = alloca i32, i64 %29, align 16
  store i64 %29, ptr %9, align 8
  %32 = load atomic ptr, ptr @p seq_cst, align 8
  %33 = load i32, ptr %32, align 4
  %34 = getelementptr inbounds i32, ptr %31, i64 0
  store i32 %33, ptr %34, align 16
  %35 = load atomic i32, ptr @a seq_cst, align 4
  %36 = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %35, i32 1)
  %37 = extractvalue { i32, i1 } %36, 1
  %38 = extractvalue { i32, i1 } %36, 0
  store i32 %38, ptr %4, align 4
  %39 = zext i1 %37 to i32
  %40 = getelementptr inbounds i32, ptr %31, i64 0
  %41 = load i32, ptr %40, align 16
  %42 = add nsw i32 %39, %41
  %43 = load atomic i32, ptr @a seq_cst, align 4
  %44 = icmp ne i32 %43, 0
  %45 = zext i1 %44 to i64
  %46 = select i1 %44, i32 1, i32 0
  %47 = add nsw i32 %42, %46
  store i32 %47, ptr %1, align 4
  %48 = load ptr, ptr %8, align 8
  call void @llvm.stackrestore.p0(ptr %48)
  %49 = load i32, ptr %1, align 4
  ret i32 %49
}

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare ptr @llvm.stacksave.p0() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.stackrestore.p0(ptr) #1

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nofree nosync nounwind willreturn }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1, !2, !3, !4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{i32 7, !"frame-pointer", i32 2}
