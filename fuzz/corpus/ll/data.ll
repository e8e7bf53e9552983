; ModuleID = 'data.c'
source_filename = "a.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.s = type { i8, i16, i16, double }
%union.u = type { i32, [4 x i8] }

@g = dso_local global <{ { i8, i16, i8, i8, double }, %struct.s }> <{ { i8, i16, i8, i8, double } { i8 1, i16 2, i8 -125, i8 0, double 5.500000e+00 }, %struct.s zeroinitializer }>, align 16
@.str = private unnamed_addr constant [5 x i8] c"abc\0A\00", align 1
@text = dso_local global ptr @.str, align 8
@fp = dso_local global ptr null, align 8
@u = dso_local global %union.u zeroinitializer, align 4
@table = internal global [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 16

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main(i32 noundef %0, ptr noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = alloca %struct.s, align 8
  %7 = alloca i64, align 8
  %8 = alloca i32, align 4
  store i32 0, ptr %3, align 4
  store i32 %0, ptr %4, align 4
  store ptr %1, ptr %5, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %6, ptr align 16 @g, i64 16, i1 false)
  store ptr @twice, ptr @fp, align 8
  store float 1.500000e+00, ptr @u, align 4
  %9 = getelementptr inbounds %struct.s, ptr %6, i32 0, i32 2
  %10 = load i16, ptr %9, align 4
  %11 = shl i16 %10, 11
  %12 = ashr i16 %11, 11
  %13 = sext i16 %12 to i32
  %14 = sext i32 %13 to i64
  %15 = shl i64 %14, 33
  store i64 %15, ptr %7, align 8
  %16 = load i32, ptr %4, align 4
  switch i32 %16, label %28 [
    i32 1, label %17
    i32 7, label %25
  ]

17:                                               ; preds = %2
  %18 = load ptr, ptr @fp, align 8
  %19 = load i32, ptr %4, align 4
  %20 = and i32 %19, 3
  %21 = sext i32 %20 to i64
  %22 = getelementptr inbounds [4 x i32], ptr @table, i64 0, i64 %21
  %23 = load i32, ptr %22, align 4
  %24 = call i32 %18(i32 noundef %23)
  store i32 %24, ptr %3, align 4
  br label %55

25:                                               ; preds = %2
  %26 = load i64, ptr %7, align 8
  %27 = trunc i64 %26 to i32
  store i32 %27, ptr %3, align 4
  br label %55

28:                                               ; preds = %2
  store i32 0, ptr %8, align 4
  br label %29

29:                                               ; preds = %43, %28
  %30 = load i32, ptr %8, align 4
  %31 = load i32, ptr %4, align 4
  %32 = icmp slt i32 %30, %31
  br i1 %32, label %33, label %46

33:                                               ; preds = %29
  %34 = load i32, ptr @u, align 4
  %35 = sitofp i32 %34 to double
  %36 = load i32, ptr %8, align 4
  %37 = and i32 %36, 1
  %38 = sext i32 %37 to i64
  %39 = getelementptr inbounds [2 x %struct.s], ptr @g, i64 0, i64 %38
  %40 = getelementptr inbounds %struct.s, ptr %39, i32 0, i32 3
  %41 = load double, ptr %40, align 8
  %42 = fadd double %41, %35
  store double %42, ptr %40, align 8
  br label %43

43:                                               ; preds = %33
  %44 = load i32, ptr %8, align 4
  %45 = add nsw i32 %44, 1
  store i32 %45, ptr %8, align 4
  br label %29, !llvm.loop !6

46:                                               ; preds = %29
  br label %47

47:                                               ; preds = %46
  %48 = load ptr, ptr @text, align 8
  %49 = load i32, ptr %4, align 4
  %50 = srem i32 %49, 4
  %51 = sext i32 %50 to i64
  %52 = getelementptr inbounds i8, ptr %48, i64 %51
  %53 = load i8, ptr %52, align 1
  %54 = sext i8 %53 to i32
  store i32 %54, ptr %3, align 4
  br label %55

55:                                               ; preds = %47, %25, %17
  %56 = load i32, ptr %3, align 4
  ret i32 %56
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #1

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @twice(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  %4 = mul nsw i32 2, %3
  ret i32 %4
}

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }

!llvm.module.flags = !{!0, !1, !2, !3, !4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{i32 7, !"frame-pointer", i32 2}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.mustprogress"}
