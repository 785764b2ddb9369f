//! The inner loops: plain ones, which the compiler turns into instructions that do many at once.
//!
//! Which instructions there are is known where the program runs. `rten-simd` finds out, and calls a loop that was compiled for them
//! (feature `embedded`, which has it anyway); else it is compiled for what every processor has. 300,000 rows of 384 dimensions, one
//! core of a Zen 4: 3.6 ms with AVX-512, 15 ms with SSE2 alone. Sums of pairs by hand, sixteen sums side by side, and
//! values that are widened first were all slower: the compiler knows the simplest form best.

/// The product of `query` (never empty) with each of `rows`, which stand one behind the other.
pub(super) fn dots(rows: &[i8], query: &[i16], scores: &mut [i32]) {
    wide::run(
        #[inline(always)]
        || {
            for (row, score) in rows.chunks_exact(query.len()).zip(scores) {
                *score = dot(row, query);
            }
        },
    );
}

/// As `dots`, of the rows of these numbers alone.
pub(super) fn dots_of(numbers: &[usize], rows: &[i8], query: &[i16], scores: &mut [i32]) {
    wide::run(
        #[inline(always)]
        || {
            for (number, score) in numbers.iter().zip(scores) {
                *score = dot(&rows[number * query.len()..][..query.len()], query);
            }
        },
    );
}

/// A query's bits: on which side of nought each value is, and how much it counts, from nought to three, as two bits.
pub(super) struct Bits {
    pub sides: Vec<u64>,
    pub ones: Vec<u64>,
    pub twos: Vec<u64>,
}

/// How much counts of that in which `query` (never empty) differs from each of `rows`, which stand one behind the other.
pub(super) fn distances(rows: &[u64], query: &Bits, distances: &mut [u16]) {
    match query.sides.len() {
        // The most frequent dimensions, 384 and 768: a loop of known length is twice as fast.
        6 => of_words::<6>(rows, query, distances),
        12 => of_words::<12>(rows, query, distances),
        words => {
            for (row, found) in rows.chunks_exact(words).zip(distances) {
                let query = query.sides.iter().zip(query.ones.iter().zip(&query.twos));
                let words = row.iter().zip(query);
                *found = words.map(|(row, (sides, (ones, twos)))| differs(*row, *sides, *ones, *twos)).sum();
            }
        }
    }
}

fn of_words<const N: usize>(rows: &[u64], query: &Bits, distances: &mut [u16]) {
    let words = [&query.sides, &query.ones, &query.twos].map(|words| words.first_chunk::<N>());
    let [Some(sides), Some(ones), Some(twos)] = words else { return };
    wide::run(
        #[inline(always)]
        || {
            for (row, found) in rows.as_chunks::<N>().0.iter().zip(distances) {
                let mut sum = 0;
                for at in 0..N {
                    sum += differs(row[at], sides[at], ones[at], twos[at]);
                }
                *found = sum;
            }
        },
    );
}

#[inline(always)]
fn differs(row: u64, sides: u64, ones: u64, twos: u64) -> u16 {
    let other = row ^ sides;
    ((other & ones).count_ones() + 2 * (other & twos).count_ones()) as u16
}

#[inline(always)]
fn dot(row: &[i8], query: &[i16]) -> i32 {
    row.iter().zip(query).map(|(value, query)| i32::from(*value) * i32::from(*query)).sum()
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

    /// Runs a loop with the best instructions that there are here.
    pub fn run(work: impl FnOnce()) {
        Loop(work).dispatch();
    }
}

#[cfg(not(feature = "embedded"))]
mod wide {
    /// Runs a loop with the instructions that are everywhere.
    pub fn run(work: impl FnOnce()) {
        work();
    }
}
