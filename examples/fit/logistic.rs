//! Logistic regression with weights: Newton's method on the penalised likelihood (Hastie, Tibshirani, Friedman: The Elements of
//! Statistical Learning, 4.4).

use std::collections::BTreeMap;

/// What a squared coefficient costs, in tasks: enough that what never happens says nothing.
const PENALTY: f64 = 0.02;
const STEPS: usize = 20;
/// The repositories are left out in so many parts, one after the other, to see what the model is worth on strange ones.
const FOLDS: usize = 5;

/// One thing that was right or not.
pub struct Row {
    /// By the names of the model.
    pub known: Vec<f64>,
    pub right: bool,
    pub weight: f64,
}

/// The weights by the names of the model, and the bias behind them.
type Model = Vec<f64>;

/// Fits the rows of each repository together, and prints the model beside the one that is in use.
pub fn report(rows: &BTreeMap<String, Vec<Row>>, in_use: &[(&str, f64)], bias: f64) {
    let groups: Vec<&Vec<Row>> = rows.values().collect();
    for fold in 0..FOLDS {
        let part = |out: bool| -> Vec<&Row> {
            let chosen = groups.iter().enumerate().filter(|(place, _)| (place % FOLDS == fold) == out);
            chosen.flat_map(|(_, rows)| rows.iter()).collect()
        };
        let (model, seen) = (fit(&part(false)), part(true));
        println!("loss on the repositories left out, part {fold}: {:.4}", loss(&model, &seen));
    }
    let all: Vec<&Row> = groups.into_iter().flatten().collect();
    let mut used: Model = in_use.iter().map(|(_, weight)| *weight).collect();
    used.push(bias);
    let model = fit(&all);
    println!("loss on all: {:.4}; of the model in use: {:.4}", loss(&model, &all), loss(&used, &all));
    for ((name, used), fitted) in in_use.iter().zip(&model) {
        println!("    (\"{name}\", {fitted:.2}), // in use: {used:.2}");
    }
    println!("BIAS: {:.2}, in use: {bias:.2}", model.last().copied().unwrap_or_default());
}

fn chance(model: &Model, row: &Row) -> f64 {
    let bias = model.last().copied().unwrap_or_default();
    let odds: f64 = model.iter().zip(&row.known).map(|(weight, value)| weight * value).sum();
    1.0 / (1.0 + (-odds - bias).exp())
}

/// The negative logarithm of what the model gives to what was right, and to what was not, by the weight of what was right.
fn loss(model: &Model, rows: &[&Row]) -> f64 {
    let of = |row: &&Row| {
        let chance = chance(model, row).clamp(1e-9, 1.0 - 1e-9);
        -row.weight * if row.right { chance.ln() } else { (1.0 - chance).ln() }
    };
    let weight: f64 = rows.iter().filter(|row| row.right).map(|row| row.weight).sum();
    rows.iter().map(of).sum::<f64>() / weight.max(1.0)
}

fn fit(rows: &[&Row]) -> Model {
    let width = rows.first().map_or(0, |row| row.known.len()) + 1;
    let mut model = vec![0.0; width];
    for _ in 0..STEPS {
        let mut slope: Vec<f64> = model.iter().map(|weight| -2.0 * PENALTY * weight).collect();
        let mut curve = vec![vec![0.0; width]; width];
        curve.iter_mut().enumerate().for_each(|(place, row)| row[place] = 2.0 * PENALTY);
        // The bias costs nothing.
        (slope[width - 1], curve[width - 1][width - 1]) = (0.0, 1e-9);
        for row in rows {
            let chance = chance(&model, row);
            let error = row.weight * (f64::from(u8::from(row.right)) - chance);
            let spread = row.weight * chance * (1.0 - chance);
            let values = || row.known.iter().copied().chain([1.0]);
            for ((slope, curve), value) in slope.iter_mut().zip(&mut curve).zip(values()) {
                *slope += error * value;
                curve.iter_mut().zip(values()).for_each(|(curve, other)| *curve += spread * value * other);
            }
        }
        model.iter_mut().zip(solve(curve, slope)).for_each(|(weight, step)| *weight += step);
    }
    model
}

/// Gauss's and Jordan's elimination; the matrix is positive definite.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    for pivot in 0..right.len() {
        let (row, value) = (matrix[pivot].clone(), right[pivot]);
        for (place, (other, right)) in matrix.iter_mut().zip(&mut right).enumerate() {
            if place != pivot {
                let factor = other[pivot] / row[pivot];
                other.iter_mut().zip(&row).for_each(|(own, pivots)| *own -= factor * pivots);
                *right -= factor * value;
            }
        }
    }
    right.iter_mut().enumerate().for_each(|(place, right)| *right /= matrix[place][place]);
    right
}
