//! What chance could have done: intervals of means, and tests of paired differences. The same input gives the same numbers.

/// Resamples behind an interval, and random signs behind a test. With so many the ends of an interval stand firm to a hundredth
/// of its width, and a p of 0.05 to 0.004 (two standard errors).
const DRAWS: usize = 10_000;
/// Of a 95 % interval.
const OUTSIDE: f64 = 0.05;
/// Differences up to which every combination of signs is tried: 65,536 of them.
const EXACT_SIGNS: usize = 16;
/// Where the generator begins: any number serves, as long as it stays.
const SEED: u64 = 0x0D05_51E2;
/// Sums that differ by less are alike: what adding in another order makes of them.
const ROUNDING: f64 = 1e-9;

/// The generator SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, each as likely as the others.
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }
}

/// The 95 % intervals of the means of each column, by the percentile bootstrap (Efron 1979): the rows, which are tasks, are
/// drawn with replacement, all columns of a row together. No rows, no interval: zeros.
pub(super) fn intervals<const N: usize>(rows: &[[f64; N]]) -> [[f64; 2]; N] {
    if rows.is_empty() {
        return [[0.0; 2]; N];
    }
    let mut random = Random(SEED);
    let mut means: Vec<Vec<f64>> = vec![Vec::with_capacity(DRAWS); N];
    for _ in 0..DRAWS {
        let mut sums = [0.0; N];
        for _ in rows {
            let row = &rows[random.below(rows.len())];
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += value;
            }
        }
        for (means, sum) in means.iter_mut().zip(sums) {
            means.push(sum / rows.len() as f64);
        }
    }
    let mut ends = [[0.0; 2]; N];
    for (ends, means) in ends.iter_mut().zip(&mut means) {
        let cut = (DRAWS as f64 * OUTSIDE / 2.0) as usize;
        *ends = [cut, DRAWS - 1 - cut].map(|place| *means.select_nth_unstable_by(place, f64::total_cmp).1);
    }
    ends
}

/// How likely wins and losses are at least so uneven where each is a throw of a coin: the exact sign test, two-sided.
pub(super) fn sign_test(won: usize, lost: usize) -> f64 {
    let all = won + lost;
    let mut log_ways = 0.0f64;
    let mut tail = 0.0;
    for k in 0..=won.min(lost) {
        if k > 0 {
            log_ways += ((all - k + 1) as f64 / k as f64).ln();
        }
        tail += (log_ways - all as f64 * std::f64::consts::LN_2).exp();
    }
    (2.0 * tail).min(1.0)
}

/// How likely the sum of the differences is at least so far from zero where the sign of each is a throw of a coin: the paired
/// randomisation test (Fisher 1935), two-sided; over every combination of signs where they are few, else over draws of them.
pub(super) fn sign_flip_test(differences: &[f64]) -> f64 {
    let differing: Vec<f64> = differences.iter().copied().filter(|by| by.abs() > ROUNDING).collect();
    let observed = differing.iter().sum::<f64>().abs() - ROUNDING;
    let reaches = |signs: &mut dyn FnMut(usize) -> bool| {
        let signed = differing.iter().enumerate().map(|(n, by)| if signs(n) { *by } else { -by });
        signed.sum::<f64>().abs() >= observed
    };
    if differing.len() <= EXACT_SIGNS {
        let all = 1u32 << differing.len();
        let reaching = (0..all).filter(|signs| reaches(&mut |n| signs >> n & 1 == 1)).count();
        return reaching as f64 / f64::from(all);
    }
    let mut random = Random(SEED);
    let reaching = (0..DRAWS).filter(|_| reaches(&mut |_| random.next() >> 63 == 1)).count();
    // What was observed is one of the draws, so that no p is zero (Phipson and Smyth 2010).
    (reaching + 1) as f64 / (DRAWS + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is_near(value: f64, expected: f64, by: f64) {
        assert!((value - expected).abs() <= by, "{value} is not {expected}");
    }

    #[test]
    fn the_generator_is_the_one_that_was_published() {
        // From the reference implementation, with the seed 1234567.
        let mut random = Random(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn an_interval_holds_the_mean_and_narrows_with_the_tasks() {
        let rows = |count: usize| -> Vec<[f64; 2]> {
            (0..count).map(|n| [f64::from(u8::from(n % 2 == 0)), 0.25]).collect()
        };
        let [few, constant] = intervals(&rows(20));
        let [many, _] = intervals(&rows(500));
        assert_eq!(constant, [0.25, 0.25]);
        // The normal approximation of 500 throws of a coin: 0.5 ± 1.96 × √(0.25 / 500).
        is_near(many[0], 0.456, 0.005);
        is_near(many[1], 0.544, 0.005);
        assert!(few[0] < many[0] && many[1] < few[1], "{few:?} {many:?}");
        assert_eq!(intervals(&rows(20)), [few, constant]);
        assert_eq!(intervals::<1>(&[]), [[0.0; 2]]);
        assert_eq!(intervals(&[[0.75]]), [[0.75; 2]]);
    }

    #[test]
    fn the_sign_test_is_the_binomial_one() {
        is_near(sign_test(0, 0), 1.0, 1e-12);
        is_near(sign_test(5, 5), 1.0, 1e-12);
        is_near(sign_test(0, 5), 2.0 / 32.0, 1e-12);
        is_near(sign_test(9, 1), 22.0 / 1024.0, 1e-12);
        assert!(sign_test(3000, 1000) < 1e-100);
    }

    #[test]
    fn the_randomisation_test_counts_signs() {
        is_near(sign_flip_test(&[]), 1.0, 1e-12);
        is_near(sign_flip_test(&[0.0, 0.0]), 1.0, 1e-12);
        is_near(sign_flip_test(&[0.5; 5]), 2.0 / 32.0, 1e-12);
        is_near(sign_flip_test(&[0.5, -0.5, 0.0]), 1.0, 1e-12);
        // 0.1 + 0.2 + 0.3 and its opposite, of eight.
        is_near(sign_flip_test(&[0.1, 0.2, 0.3]), 0.25, 1e-12);
        assert!(sign_flip_test(&[0.3; 40]) < 0.001);
        let mixed: Vec<f64> = (0..40).map(|n| if n % 2 == 0 { 0.4 } else { -0.4 }).collect();
        assert!(sign_flip_test(&mixed) > 0.9);
    }
}
