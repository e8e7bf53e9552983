; ModuleID = 'race.c'
source_filename = "a.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%union.pthread_mutex_t = type { %struct.__pthread_mutex_s }
%struct.__pthread_mutex_s = type { i32, i32, i32, i32, i32, i16, i16, %struct.__pthread_internal_list }
%struct.__pthread_internal_list = type { ptr, ptr }

@m = dso_local global %union.pthread_mutex_t zeroinitializer, align 8, !dbg !0
@x = dso_local global i32 0, align 4, !dbg !25
@.str = private unnamed_addr constant [5 x i8] c"x==3\00", align 1, !dbg !8
@.str.1 = private unnamed_addr constant [7 x i8] c"race.c\00", align 1, !dbg !14
@__PRETTY_FUNCTION__.main = private unnamed_addr constant [11 x i8] c"int main()\00", align 1, !dbg !19

; Function Attrs: nounwind uwtable
define dso_local ptr @f(ptr noundef %0) #0 !dbg !65 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8, !tbaa !71
    #dbg_declare(ptr %2, !70, !DIExpression(), !75)
  %3 = call i32 @pthread_mutex_lock(ptr noundef @m) #5, !dbg !76
  %4 = load ptr, ptr %2, align 8, !dbg !77, !tbaa !71
  %5 = load i32, ptr %4, align 4, !dbg !78, !tbaa !79
  %6 = load i32, ptr @x, align 4, !dbg !81, !tbaa !79
  %7 = add nsw i32 %6, %5, !dbg !81
  store i32 %7, ptr @x, align 4, !dbg !81, !tbaa !79
  %8 = call i32 @pthread_mutex_unlock(ptr noundef @m) #5, !dbg !82
  ret ptr null, !dbg !83
}

; Function Attrs: nounwind
declare !dbg !84 i32 @pthread_mutex_lock(ptr noundef) #1

; Function Attrs: nounwind
declare !dbg !89 i32 @pthread_mutex_unlock(ptr noundef) #1

; Function Attrs: nounwind uwtable
define dso_local i32 @main() #0 !dbg !90 {
  %1 = alloca i32, align 4
  %2 = alloca i64, align 8
  %3 = alloca i32, align 4
  store i32 0, ptr %1, align 4
  call void @llvm.lifetime.start.p0(i64 8, ptr %2) #6, !dbg !98
    #dbg_declare(ptr %2, !94, !DIExpression(), !99)
  call void @llvm.lifetime.start.p0(i64 4, ptr %3) #6, !dbg !100
    #dbg_declare(ptr %3, !97, !DIExpression(), !101)
  store i32 2, ptr %3, align 4, !dbg !101, !tbaa !79
  %4 = call i32 @pthread_create(ptr noundef %2, ptr noundef null, ptr noundef @f, ptr noundef %3) #5, !dbg !102
  %5 = load i32, ptr @x, align 4, !dbg !103, !tbaa !79
  %6 = add nsw i32 %5, 1, !dbg !103
  store i32 %6, ptr @x, align 4, !dbg !103, !tbaa !79
  %7 = load i64, ptr %2, align 8, !dbg !104, !tbaa !105
  %8 = call i32 @pthread_join(i64 noundef %7, ptr noundef null) #7, !dbg !107
  %9 = load i32, ptr @x, align 4, !dbg !108, !tbaa !79
  %10 = icmp eq i32 %9, 3, !dbg !108
  br i1 %10, label %11, label %12, !dbg !111

11:                                               ; preds = %0
  br label %13, !dbg !111

12:                                               ; preds = %0
  call void @__assert_fail(ptr noundef @.str, ptr noundef @.str.1, i32 noundef 5, ptr noundef @__PRETTY_FUNCTION__.main) #8, !dbg !108
  unreachable, !dbg !108

13:                                               ; preds = %11
  call void @llvm.lifetime.end.p0(i64 4, ptr %3) #6, !dbg !112
  call void @llvm.lifetime.end.p0(i64 8, ptr %2) #6, !dbg !112
  ret i32 0, !dbg !113
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #2

; Function Attrs: nounwind
declare !dbg !114 i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) #1

declare !dbg !132 i32 @pthread_join(i64 noundef, ptr noundef) #3

; Function Attrs: noreturn nounwind
declare !dbg !136 void @__assert_fail(ptr noundef, ptr noundef, i32 noundef, ptr noundef) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #2

attributes #0 = { nounwind uwtable "min-legal-vector-width"="0" "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nounwind "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { noreturn nounwind "no-builtins" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { nobuiltin nounwind "no-builtins" }
attributes #6 = { nounwind }
attributes #7 = { nobuiltin "no-builtins" }
attributes #8 = { nobuiltin noreturn nounwind "no-builtins" }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!58, !59, !60, !61, !62, !63}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "m", scope: !2, file: !3, line: 3, type: !27, isLocal: false, isDefinition: true)
!3 = !DIFile(filename: "race.c", directory: "/", checksumkind: CSK_MD5, checksum: "6281e76575bc0fbf11820b5f6d694b75")
!4 = !{!5}
!5 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !6, size: 64)
!6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!7 = !{!8, !14, !19, !25, !0}
!8 = !DIGlobalVariableExpression(var: !9, expr: !DIExpression())
!9 = distinct !DIGlobalVariable(scope: null, file: !3, line: 5, type: !10, isLocal: true, isDefinition: true)
!10 = !DICompositeType(tag: DW_TAG_array_type, baseType: !11, size: 40, elements: !12)
!11 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!12 = !{!13}
!13 = !DISubrange(count: 5)
!14 = !DIGlobalVariableExpression(var: !15, expr: !DIExpression())
!15 = distinct !DIGlobalVariable(scope: null, file: !3, line: 5, type: !16, isLocal: true, isDefinition: true)
!16 = !DICompositeType(tag: DW_TAG_array_type, baseType: !11, size: 56, elements: !17)
!17 = !{!18}
!18 = !DISubrange(count: 7)
!19 = !DIGlobalVariableExpression(var: !20, expr: !DIExpression())
!20 = distinct !DIGlobalVariable(scope: null, file: !3, line: 5, type: !21, isLocal: true, isDefinition: true)
!21 = !DICompositeType(tag: DW_TAG_array_type, baseType: !22, size: 88, elements: !23)
!22 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !11)
!23 = !{!24}
!24 = !DISubrange(count: 11)
!25 = !DIGlobalVariableExpression(var: !26, expr: !DIExpression())
!26 = distinct !DIGlobalVariable(name: "x", scope: !2, file: !3, line: 3, type: !6, isLocal: false, isDefinition: true)
!27 = !DIDerivedType(tag: DW_TAG_typedef, name: "pthread_mutex_t", file: !28, line: 72, baseType: !29)
!28 = !DIFile(filename: "/usr/include/x86_64-linux-gnu/bits/pthreadtypes.h", directory: "/", checksumkind: CSK_MD5, checksum: "735e3bf264ff9d8f5d95898b1692fbdb")
!29 = distinct !DICompositeType(tag: DW_TAG_union_type, file: !28, line: 67, size: 320, elements: !30)
!30 = !{!31, !52, !56}
!31 = !DIDerivedType(tag: DW_TAG_member, name: "__data", scope: !29, file: !28, line: 69, baseType: !32, size: 320)
!32 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "__pthread_mutex_s", file: !33, line: 22, size: 320, elements: !34)
!33 = !DIFile(filename: "/usr/include/x86_64-linux-gnu/bits/struct_mutex.h", directory: "/", checksumkind: CSK_MD5, checksum: "584baedd80e6041b81caae7f496091c0")
!34 = !{!35, !36, !38, !39, !40, !41, !43, !44}
!35 = !DIDerivedType(tag: DW_TAG_member, name: "__lock", scope: !32, file: !33, line: 24, baseType: !6, size: 32)
!36 = !DIDerivedType(tag: DW_TAG_member, name: "__count", scope: !32, file: !33, line: 25, baseType: !37, size: 32, offset: 32)
!37 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!38 = !DIDerivedType(tag: DW_TAG_member, name: "__owner", scope: !32, file: !33, line: 26, baseType: !6, size: 32, offset: 64)
!39 = !DIDerivedType(tag: DW_TAG_member, name: "__nusers", scope: !32, file: !33, line: 28, baseType: !37, size: 32, offset: 96)
!40 = !DIDerivedType(tag: DW_TAG_member, name: "__kind", scope: !32, file: !33, line: 32, baseType: !6, size: 32, offset: 128)
!41 = !DIDerivedType(tag: DW_TAG_member, name: "__spins", scope: !32, file: !33, line: 34, baseType: !42, size: 16, offset: 160)
!42 = !DIBasicType(name: "short", size: 16, encoding: DW_ATE_signed)
!43 = !DIDerivedType(tag: DW_TAG_member, name: "__elision", scope: !32, file: !33, line: 35, baseType: !42, size: 16, offset: 176)
!44 = !DIDerivedType(tag: DW_TAG_member, name: "__list", scope: !32, file: !33, line: 36, baseType: !45, size: 128, offset: 192)
!45 = !DIDerivedType(tag: DW_TAG_typedef, name: "__pthread_list_t", file: !46, line: 55, baseType: !47)
!46 = !DIFile(filename: "/usr/include/x86_64-linux-gnu/bits/thread-shared-types.h", directory: "/", checksumkind: CSK_MD5, checksum: "04c81e86d34dad9c99ad006d32e47a0d")
!47 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "__pthread_internal_list", file: !46, line: 51, size: 128, elements: !48)
!48 = !{!49, !51}
!49 = !DIDerivedType(tag: DW_TAG_member, name: "__prev", scope: !47, file: !46, line: 53, baseType: !50, size: 64)
!50 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !47, size: 64)
!51 = !DIDerivedType(tag: DW_TAG_member, name: "__next", scope: !47, file: !46, line: 54, baseType: !50, size: 64, offset: 64)
!52 = !DIDerivedType(tag: DW_TAG_member, name: "__size", scope: !29, file: !28, line: 70, baseType: !53, size: 320)
!53 = !DICompositeType(tag: DW_TAG_array_type, baseType: !11, size: 320, elements: !54)
!54 = !{!55}
!55 = !DISubrange(count: 40)
!56 = !DIDerivedType(tag: DW_TAG_member, name: "__align", scope: !29, file: !28, line: 71, baseType: !57, size: 64)
!57 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!58 = !{i32 7, !"Dwarf Version", i32 5}
!59 = !{i32 2, !"Debug Info Version", i32 3}
!60 = !{i32 1, !"wchar_size", i32 4}
!61 = !{i32 8, !"PIC Level", i32 2}
!62 = !{i32 7, !"PIE Level", i32 2}
!63 = !{i32 7, !"uwtable", i32 2}
!65 = distinct !DISubprogram(name: "f", scope: !3, file: !3, line: 4, type: !66, scopeLine: 4, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !69)
!66 = !DISubroutineType(types: !67)
!67 = !{!68, !68}
!68 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!69 = !{!70}
!70 = !DILocalVariable(name: "p", arg: 1, scope: !65, file: !3, line: 4, type: !68)
!71 = !{!72, !72, i64 0}
!72 = !{!"any pointer", !73, i64 0}
!73 = !{!"omnipotent char", !74, i64 0}
!74 = !{!"Simple C/C++ TBAA"}
!75 = !DILocation(line: 4, column: 15, scope: !65)
!76 = !DILocation(line: 4, column: 19, scope: !65)
!77 = !DILocation(line: 4, column: 55, scope: !65)
!78 = !DILocation(line: 4, column: 48, scope: !65)
!79 = !{!80, !80, i64 0}
!80 = !{!"int", !73, i64 0}
!81 = !DILocation(line: 4, column: 45, scope: !65)
!82 = !DILocation(line: 4, column: 58, scope: !65)
!83 = !DILocation(line: 4, column: 84, scope: !65)
!84 = !DISubprogram(name: "pthread_mutex_lock", scope: !85, file: !85, line: 794, type: !86, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized)
!85 = !DIFile(filename: "/usr/include/pthread.h", directory: "/", checksumkind: CSK_MD5, checksum: "5205981c6f80cc3dc1e81231df63d8ef")
!86 = !DISubroutineType(types: !87)
!87 = !{!6, !88}
!88 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !27, size: 64)
!89 = !DISubprogram(name: "pthread_mutex_unlock", scope: !85, file: !85, line: 835, type: !86, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized)
!90 = distinct !DISubprogram(name: "main", scope: !3, file: !3, line: 5, type: !91, scopeLine: 5, flags: DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !93)
!91 = !DISubroutineType(types: !92)
!92 = !{!6}
!93 = !{!94, !97}
!94 = !DILocalVariable(name: "t", scope: !90, file: !3, line: 5, type: !95)
!95 = !DIDerivedType(tag: DW_TAG_typedef, name: "pthread_t", file: !28, line: 27, baseType: !96)
!96 = !DIBasicType(name: "unsigned long", size: 64, encoding: DW_ATE_unsigned)
!97 = !DILocalVariable(name: "n", scope: !90, file: !3, line: 5, type: !6)
!98 = !DILocation(line: 5, column: 13, scope: !90)
!99 = !DILocation(line: 5, column: 23, scope: !90)
!100 = !DILocation(line: 5, column: 26, scope: !90)
!101 = !DILocation(line: 5, column: 30, scope: !90)
!102 = !DILocation(line: 5, column: 37, scope: !90)
!103 = !DILocation(line: 5, column: 65, scope: !90)
!104 = !DILocation(line: 5, column: 82, scope: !90)
!105 = !{!106, !106, i64 0}
!106 = !{!"long", !73, i64 0}
!107 = !DILocation(line: 5, column: 69, scope: !90)
!108 = !DILocation(line: 5, column: 88, scope: !109)
!109 = distinct !DILexicalBlock(scope: !110, file: !3, line: 5, column: 88)
!110 = distinct !DILexicalBlock(scope: !90, file: !3, line: 5, column: 88)
!111 = !DILocation(line: 5, column: 88, scope: !110)
!112 = !DILocation(line: 5, column: 112, scope: !90)
!113 = !DILocation(line: 5, column: 102, scope: !90)
!114 = !DISubprogram(name: "pthread_create", scope: !85, file: !85, line: 202, type: !115, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized)
!115 = !DISubroutineType(types: !116)
!116 = !{!6, !117, !119, !130, !131}
!117 = !DIDerivedType(tag: DW_TAG_restrict_type, baseType: !118)
!118 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !95, size: 64)
!119 = !DIDerivedType(tag: DW_TAG_restrict_type, baseType: !120)
!120 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !121, size: 64)
!121 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !122)
!122 = !DIDerivedType(tag: DW_TAG_typedef, name: "pthread_attr_t", file: !28, line: 62, baseType: !123)
!123 = distinct !DICompositeType(tag: DW_TAG_union_type, name: "pthread_attr_t", file: !28, line: 56, size: 448, elements: !124)
!124 = !{!125, !129}
!125 = !DIDerivedType(tag: DW_TAG_member, name: "__size", scope: !123, file: !28, line: 58, baseType: !126, size: 448)
!126 = !DICompositeType(tag: DW_TAG_array_type, baseType: !11, size: 448, elements: !127)
!127 = !{!128}
!128 = !DISubrange(count: 56)
!129 = !DIDerivedType(tag: DW_TAG_member, name: "__align", scope: !123, file: !28, line: 59, baseType: !57, size: 64)
!130 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !66, size: 64)
!131 = !DIDerivedType(tag: DW_TAG_restrict_type, baseType: !68)
!132 = !DISubprogram(name: "pthread_join", scope: !85, file: !85, line: 219, type: !133, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized)
!133 = !DISubroutineType(types: !134)
!134 = !{!6, !95, !135}
!135 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !68, size: 64)
!136 = !DISubprogram(name: "__assert_fail", scope: !137, file: !137, line: 69, type: !138, flags: DIFlagPrototyped | DIFlagNoReturn, spFlags: DISPFlagOptimized)
!137 = !DIFile(filename: "/usr/include/assert.h", directory: "/", checksumkind: CSK_MD5, checksum: "ab7dc6991d501750085448b20099a5a0")
!138 = !DISubroutineType(types: !139)
!139 = !{null, !140, !140, !37, !140}
!140 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !22, size: 64)
