//! What the records say together. Pure: what files are like now is asked through a function.

use std::collections::{BTreeMap, BTreeSet};

use super::{Dossier, Record, Verdict};

/// Counts over dossiers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    pub dossiers: u32,
    pub answered: u32,
    /// Talks in which the model asked for more; how many things, and how many of them it got.
    pub asking: u32,
    pub asked: u32,
    pub granted: u32,
    pub good: u32,
    pub missing: u32,
    /// What was missing, the most frequent first.
    pub missed: Vec<(String, u32)>,
    /// Files that were given, and those of them that were changed afterwards.
    pub given: u32,
    pub changed: u32,
}

/// The last dossier of a workspace.
pub fn last_dossier<'r>(records: &'r [Record], workspace: &str) -> Option<&'r Dossier> {
    records.iter().rev().find_map(|record| match record {
        Record::Dossier(dossier) if dossier.workspace == workspace => Some(dossier),
        _ => None,
    })
}

/// The files of a dossier that are not as they were, without those of which the records know it. `blob` gives the id of a
/// file's text as it is now.
pub fn newly_changed(
    records: &[Record],
    dossier: &Dossier,
    blob: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let known = changed_of(records).remove(dossier.id.as_str()).unwrap_or_default();
    let files =
        dossier.files.iter().filter(|file| !file.blob.is_empty() && !known.contains(file.path.as_str()));
    files.filter(|file| blob(&file.path).as_ref() != Some(&file.blob)).map(|file| file.path.clone()).collect()
}

/// All that is known of the dossiers of a workspace, or of all.
pub fn tally(records: &[Record], workspace: Option<&str>) -> Tally {
    let mut tally = Tally::default();
    let changed = changed_of(records);
    let mut ids: BTreeSet<&str> = BTreeSet::new();
    for record in records {
        if let Record::Dossier(dossier) = record
            && workspace.is_none_or(|workspace| dossier.workspace == workspace)
        {
            ids.insert(&dossier.id);
            tally.dossiers += 1;
            tally.given += dossier.files.len() as u32;
            tally.changed += changed.get(dossier.id.as_str()).map_or(0, BTreeSet::len) as u32;
        }
    }
    let mut missed: BTreeMap<&str, u32> = BTreeMap::new();
    for record in records {
        match record {
            Record::Answered(answered) if ids.contains(answered.dossier.as_str()) => {
                tally.answered += u32::from(answered.is_complete);
                tally.asking += u32::from(answered.rounds > 0);
                tally.asked += answered.asked;
                tally.granted += answered.granted;
            }
            Record::Feedback { dossier, verdict, paths, .. } if ids.contains(dossier.as_str()) => {
                match verdict {
                    Verdict::Good => tally.good += 1,
                    Verdict::Missing => tally.missing += 1,
                }
                for path in paths {
                    *missed.entry(path).or_default() += 1;
                }
            }
            _ => {}
        }
    }
    tally.missed = missed.into_iter().map(|(path, count)| (path.to_owned(), count)).collect();
    tally.missed.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    tally
}

/// The changed files that the records know of, by dossier.
fn changed_of(records: &[Record]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut changed: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for record in records {
        if let Record::Changed { dossier, paths } = record {
            changed.entry(dossier).or_default().extend(paths.iter().map(String::as_str));
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::super::{Answered, GivenFile};
    use super::*;

    fn dossier(id: &str, workspace: &str, paths: &[&str]) -> Record {
        let file = |path: &&str| GivenFile { path: path.to_string(), blob: "old".into() };
        Record::Dossier(Dossier {
            id: id.into(),
            time: 0,
            workspace: workspace.into(),
            query: String::new(),
            model: "scripted".into(),
            prompt: "v1".into(),
            budget: 100,
            used: 90,
            files: paths.iter().map(file).collect(),
        })
    }

    #[test]
    fn counts_are_of_one_workspace_or_of_all() {
        let feedback = |id: &str, verdict, paths: &[&str]| Record::Feedback {
            dossier: id.into(),
            time: 0,
            verdict,
            paths: paths.iter().map(ToString::to_string).collect(),
        };
        let records = [
            dossier("1", "/a", &["x", "y"]),
            dossier("2", "/b", &["z"]),
            Record::Answered(Answered {
                dossier: "1".into(),
                is_complete: true,
                rounds: 2,
                asked: 3,
                granted: 1,
                ..Answered::default()
            }),
            Record::Answered(Answered { dossier: "2".into(), ..Answered::default() }),
            Record::Changed { dossier: "1".into(), paths: vec!["x".into()] },
            feedback("1", Verdict::Missing, &["w"]),
            feedback("2", Verdict::Good, &[]),
            feedback("gone", Verdict::Good, &[]),
        ];
        let a = tally(&records, Some("/a"));
        assert_eq!((a.dossiers, a.answered, a.asking, a.asked, a.granted), (1, 1, 1, 3, 1));
        assert_eq!((a.good, a.missing, a.given, a.changed), (0, 1, 2, 1));
        assert_eq!(a.missed, [("w".to_owned(), 1)]);
        let all = tally(&records, None);
        assert_eq!((all.dossiers, all.answered, all.asking, all.good, all.given), (2, 1, 1, 1, 3));
        assert_eq!(last_dossier(&records, "/a").map(|dossier| dossier.id.as_str()), Some("1"));
        assert_eq!(last_dossier(&records, "/c"), None);
    }

    #[test]
    fn a_change_is_told_once() {
        let mut records = vec![dossier("1", "/a", &["same", "other", "gone"])];
        let now = |path: &str| match path {
            "same" => Some("old".to_owned()),
            "other" => Some("new".to_owned()),
            _ => None,
        };
        let last = last_dossier(&records, "/a").unwrap().clone();
        assert_eq!(newly_changed(&records, &last, now), ["other", "gone"]);
        records.push(Record::Changed { dossier: "1".into(), paths: vec!["other".into(), "gone".into()] });
        assert!(newly_changed(&records, &last, now).is_empty());
    }
}
