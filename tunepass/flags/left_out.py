"""Options that are not tuned, and why: they change what a program means or contains, not only how fast it is.

Names are without `-f` and `--param=`, as patterns of whole names.
"""

from __future__ import annotations

import re

# what a program computes: roundings, exceptional values, errno
MATH = (
    "fast-math|unsafe-math-optimizations|associative-math|reciprocal-math|finite-math-only|signed-zeros|trapping-math|"
    "rounding-math|signaling-nans|math-errno|float-store|single-precision-constant|excess-precision|fp-contract|"
    "fp-int-builtin-inexact|cx-.*|vect-induction-float|approx-func|honor-.*|.*-fp-math|force-ordered-reductions"
)
# the layout of data and the way functions are called, which other files rely on
INTERFACE = (
    "pack-struct|short-enums|short-wchar|(pcc|reg)-struct-return|common|visibility.*|exceptions|handle-exceptions|"
    "non-call-exceptions|(asynchronous-)?unwind-tables|delete-dead-exceptions|rtti.*|.*-interference-size|"
    "strict-volatile-bitfields|code-model|emulated-tls|exception-model|float-abi|function-sections|data-sections|"
    "unique-.*|relax-elf.*|.*relocation.*|tls-.*"
)
# what a programmer is told or protected from, and counts of a profile
AROUND = (
    "opt-info|save-optimization-record|patchable-function-entry|live-patching|stack-(protector|clash|check).*|harden-.*|"
    "trapv|trivial-auto-var-init|ssp-.*|sanitize.*|(analyzer|asan|hwasan|tsan|msan|dfsan)-.*|.*debug.*|.*vartrack.*|"
    "var-tracking.*|min-nondebug-insn-uid|uninit-.*|allow-store-data-races|branch-probabilities|"
    "vpt|(auto-)?profile.*|.*-profile|(no-)?profil.*|lto-.*|thinlto-.*|.*-feedback"
)
# how the compiler runs, several threads or accelerators, other languages
ELSEWHERE = (
    "ggc-.*|lazy-modules|cxx-.*|hash-table-verification-limit|use-canonical-types|graphite-allow-codegen-errors|"
    "parloops-.*|tree-parallelize-loops|openacc-.*|openmp.*|(oacc|gimple-fe)-.*|tm-max-.*|sched-verbose|"
    "loop-parallelize-all|stack-limit.*|(min-)?pagesize|min-pagesize|checking|dump.*"
)
# LLVM has some 2,000 options, most of them for its developers and of all targets: those of passes that make code faster
PASSES = (
    "(adce|addr-sink|align-(all|loops)|available-load|avoid-speculation|basic-aa|block-placement|bonus-inst|branch-fold|"
    "callsite-splitting|capture-tracking|cgp|combiner|consthoist|dom-conditions|dse|early-ifcvt|earlycse|ext-tsp|"
    "func-specialization|gvn|hoist|ifcvt|indvars|inline|inlinehint|instcombine|interleave|join|jump|licm|locally-hot|"
    "loop|lsr|machine|memcmp|memdep|memory-check|memssa|misched|misfetch|optsize|partial|phi-node|post-RA|precise|prefer|"
    "prefetch|reroll|rotation|runtime|scalar-evolution|scev|sched|shrink|simple-loop-unswitch|simplifycfg|sink|slp|"
    "small-loop|spec-exec|speculate|split-machine|sroa|store-to-load|switch|tail|terminal|tiny|triangle|two-entry|"
    "twoaddr|unroll|unswitch|vector|vectorize|vectorizer)(-.*)?|"
    "max-(dependences|interleave|jump-table|loads|nested|num-inline|speculation|store|uses|prefetch).*|"
    "min(imum)?-(jump|prefetch).*|force-(precise|fast-cluster|split-store|vector|loop-cold).*|"
    "x86-(and-imm|cmov|early-ifcvt|machine-combiner|pad|promote|use-vzeroupper|branches).*|"
    "disable-(basic-aa|block-placement|branch-fold|cgp.*|constant-hoisting|copyprop|early-.*|ifcvt-.*|libcalls.*|licm.*|"
    "lsr|machine-.*|mem(cpy|move)-idiom|mergeicmps|partial-.*|peephole|phi-elim.*|post-ra|postra-.*|preinline|sched-.*|"
    "spill.*|tail-.*|type-promotion|vector-combine|complex-addr.*|x86-.*)|"
    "enable-(aa-sched.*|andcmp.*|chr|cond-stores.*|constraint.*|double-float.*|dse.*|epilogue.*|ext-tsp.*|function-.*|"
    "global-merge|gvn-.*|if-conversion|ind-var.*|interleaved.*|ipra|load-.*|loadstore.*|local-.*|loop.*|lsr.*|masked.*|"
    "mem-access.*|memcpy-dag.*|merge-.*|misched|mssa.*|nontrivial.*|nonnull.*|partial.*|phi-of.*|post-misched|pre|"
    "scoped.*|shrink.*|simple-loop.*|split-.*|subreg.*|tail-merge|tbaa|unroll.*|unswitch.*)"
)
INTERNAL = (
    ".*(print|debug|dump|verif|view|stress|test|stats|trace|remark|warn|abort|assert|filter|file|profile|prefix|"
    "cutoff|counter|guard|deopt|gc-|annotat|classify|lto|thinlto|slh|implicit-null|outliner|import|dbg|bfi-unknown|"
    "unsafe|-sanity|max-hoisted|bisect|assume-no-overflow|type-check|show-|skip-profit|predication|replay).*"
)
ALWAYS = re.compile("|".join((INTERFACE, AROUND, ELSEWHERE)))
ROUNDING = re.compile(MATH)
LISTED, UNWANTED = re.compile(PASSES), re.compile(INTERNAL)


def is_left_out(name: str, *, math: bool) -> bool:
    """`math`: options that change results by roundings, or for exceptional values, are kept."""
    return bool(ALWAYS.fullmatch(name)) or (not math and bool(ROUNDING.fullmatch(name)))


def is_of_a_pass(name: str) -> bool:
    """Of an option of LLVM: does it steer a pass that makes code faster?"""
    return bool(LISTED.fullmatch(name)) and not UNWANTED.fullmatch(name)
