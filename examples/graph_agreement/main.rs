//! Compares the graph with rust-analyzer on a checkout: seeded call sites and symbols, the same for everybody.
//!
//! ```text
//! cargo run --release --example graph_agreement -- CHECKOUT [--served]
//! ```
//!
//! rust-analyzer is the truth here because it type-checks; the graph reads text alone. What the graph marks as resolved must
//! agree with it, and must be most of what there is.

mod answers;
mod code;
mod compare;
mod sample;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use dossier::lsp::{LanguageProvider, Relation};
use dossier::model::Deadline;
use dossier::pipeline::{LanguageServer, ServerOptions, Workspace};
use dossier::workspace::{WalkOptions, find_root};
use serde::Serialize;

use answers::Answers;
use code::Code;
use compare::{Difference, Share, SiteReport, SymbolReport};

/// What the graph promises, in percent.
const AGREEMENT_FLOOR: f64 = 95.0;
const COVERAGE_FLOOR: f64 = 70.0;

/// Compares the graph with rust-analyzer. Exit code 1 where it falls short.
#[derive(Parser)]
struct Args {
    /// A checkout whose dependencies are fetched (`cargo fetch`).
    checkout: PathBuf,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of call sites.
    #[arg(long, default_value_t = 200)]
    sites: usize,
    /// Number of functions, types and traits.
    #[arg(long, default_value_t = 40)]
    symbols: usize,
    /// Keep rust-analyzer's answers in this file, and start it only for what the file lacks.
    #[arg(long)]
    answers: Option<PathBuf>,
    /// Seconds that rust-analyzer may take to load the workspace.
    #[arg(long, default_value_t = 900)]
    wait: u64,
    /// Write the numbers and all differences to this file.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Compare the graph a second time, as rust-analyzer corrects it.
    #[arg(long)]
    served: bool,
    /// List the differences.
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Serialize)]
struct Report {
    sites: SiteReport,
    symbols: SymbolReport,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let reports = compare(&args)?;
    for (title, report) in &reports {
        println!("{title}");
        print(report, args.verbose);
    }
    if let Some(path) = &args.json {
        std::fs::write(path, serde_json::to_string_pretty(&reports)?)?;
    }
    let are_good = reports.iter().all(|(_, report)| report.is_good());
    Ok(if are_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn compare(args: &Args) -> Result<Vec<(&'static str, Report)>> {
    let root = find_root(&args.checkout).path;
    let options = ServerOptions::of_user(|name| std::env::var(name).ok(), std::env::home_dir(), None);
    let server = LanguageServer::start(&root.canonicalize()?, &options);
    let workspace = Workspace::open(&root, &WalkOptions::default(), &Deadline::never())?;
    let code = Code::new(&workspace, &workspace.graph);
    let sites = sample::sites(&code, args.seed, args.sites);
    let symbols = sample::symbols(&code, args.seed, args.symbols);
    ensure!(!sites.is_empty() && !symbols.is_empty(), "{} holds no Rust code", args.checkout.display());

    let wait = Duration::from_secs(args.wait);
    let mut answers = Answers::open(args.answers.clone(), &workspace, &server, wait)?;
    let report = |code: &Code<'_>, answers: &mut Answers<'_>| -> Result<Report> {
        let sites = compare::sites(code, &sites, answers);
        let symbols = compare::symbols(code, &symbols, answers);
        answers.save()?;
        Ok(Report { sites: sites?, symbols: symbols? })
    };
    let mut reports = vec![("the graph of the text", report(&code, &mut answers)?)];
    if args.served {
        answers.questions()?;
        let served = workspace.served(&server).context("rust-analyzer is not ready")?;
        let places: Vec<_> = sites.iter().map(|site| code.start_of(*site)).collect();
        served.learn_places(&places, &Deadline::never());
        served.prepare(&symbols, &[Relation::References, Relation::Tests], &Deadline::never());
        let corrected = Code::new(&workspace, &served.graph());
        reports.push(("as rust-analyzer corrects it", report(&corrected, &mut answers)?));
    }
    Ok(reports)
}

impl Report {
    fn is_good(&self) -> bool {
        [self.sites.agreement, self.symbols.agreement].iter().all(|it| it.percent() >= AGREEMENT_FLOOR)
            && [self.sites.coverage, self.symbols.coverage].iter().all(|it| it.percent() >= COVERAGE_FLOOR)
    }
}

fn print(report: &Report, verbose: bool) {
    let Report { sites, symbols } = report;
    println!("{} call sites, {} of them without an answer of rust-analyzer", sites.asked, sites.unanswered);
    row("answer inside the workspace: resolved", sites.coverage);
    row("answer is an item: resolved", sites.item_coverage);
    row("resolved targets: agree", sites.agreement);
    println!(
        "{} symbols, {} of them without a reference; {} resolved lines without an answer of rust-analyzer",
        symbols.asked, symbols.without_references, symbols.unanswered
    );
    row("lines of references: resolved", symbols.coverage);
    row("resolved lines: agree", symbols.agreement);
    println!("wanted: {COVERAGE_FLOOR} % resolved, of which {AGREEMENT_FLOOR} % agree");
    if verbose {
        print_details(report);
    }
}

fn print_details(Report { sites, symbols }: &Report) {
    println!("\n{:<40}{:>22}{:>22}", "by class", "resolved", "agree");
    for (class, (coverage, agreement)) in sites.classes.iter().chain(&symbols.symbols) {
        println!("{class:<40}{:>22}{:>22}", written(*coverage), written(*agreement));
    }
    let all = || sites.differences.iter().chain(&symbols.differences);
    list("wrong", all().filter(|it| it.wrong));
    list("not resolved", all().filter(|it| !it.wrong));
}

fn row(title: &str, share: Share) {
    println!("  {title:<40}{:>22}", written(share));
}

fn list<'a>(title: &str, differences: impl Iterator<Item = &'a Difference>) {
    println!("\n{title}");
    for Difference { at, class, what, .. } in differences {
        println!("  {at}  {class}: {what}");
    }
}

fn written(share: Share) -> String {
    format!("{:5.1} % ({}/{})", share.percent(), share.hits, share.of)
}
