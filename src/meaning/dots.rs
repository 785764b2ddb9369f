//! The inner loops: plain ones, which the compiler turns into instructions that do many at once.
//!
//! Which instructions there are is known where the program runs. `rten-simd` finds out, and calls a loop that was compiled for them
//! (feature `embedded`, which has it anyway); else it is compiled for what every processor has. 300,000 rows of 384 dimensions, one
//! core of a Zen 4: 3.6 ms with AVX-512, 15 ms with SSE2 alone. Sums of pairs by hand, four or eight sums side by side, and
//! rows of 64 at a time were all slower: the compiler knows the simplest form best.

/// The product of a query with each row. The rows stand one behind the other.
#[inline(always)]
fn all_dots(rows: &[i8], query: &[i16], scores: &mut [i32]) {
    for (row, score) in rows.chunks_exact(query.len()).zip(scores) {
        *score = row.iter().zip(query).map(|(value, query)| i32::from(*value) * i32::from(*query)).sum();
    }
}

/// The product of `query` (never empty) with each of `rows`, which have as many values each, into `scores`.
pub(super) fn dots(rows: &[i8], query: &[i16], scores: &mut [i32]) {
    #[cfg(feature = "embedded")]
    wide::run(
        #[inline(always)]
        || all_dots(rows, query, scores),
    );
    #[cfg(not(feature = "embedded"))]
    all_dots(rows, query, scores);
}

#[cfg(feature = "embedded")]
mod wide {
    use rten_simd::{Isa, SimdOp};

    /// A loop, to be compiled for each set of instructions.
    struct Loop<F>(F);

    impl<F: FnOnce()> SimdOp for Loop<F> {
        type Output = ();

        #[inline(always)]
        fn eval<I: Isa>(self, _: I) {
            (self.0)();
        }
    }

    pub fn run(work: impl FnOnce()) {
        Loop(work).dispatch();
    }
}
