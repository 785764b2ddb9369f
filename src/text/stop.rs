//! Words of a task that say nothing or little about the code: English function words, and the talk of issues.
//!
//! For queries alone: the index keeps every word, since `this` or `version` may be what a file is about.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Whether a lower-case word says nothing in a task: `the`, `should`, `please`.
pub fn is_stop_word(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| FUNCTION_WORDS.split_whitespace().collect());
    WORDS.contains(word)
}

/// Whether a lower-case word mostly belongs to the way issues are written: `version`, `expected`, `behavior`. It may
/// still be what a task is about: `add a --version flag`.
pub fn is_issue_talk(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| ISSUE_TALK.split_whitespace().collect());
    WORDS.contains(word)
}

/// With the pieces that apostrophes leave (`don`, `ll`), and the verbs that every task begins with.
const FUNCTION_WORDS: &str = "
    a able about actually add added adding adds afaik aforementioned against ain all allow allows almost
    already also although always am among an and another any anymore anyone anything anyway appreciate
    appreciated are aren around as at bad basically be became because become becomes been being best
    better both btw bug bugs but by came can cannot cant cc chore come comes could couldn currently d did
    didn different do does doesn doing don done during each easy eg either else enough ensure especially
    etc even ever every everything exactly explain feat few fix fixed fixes for from further fwiw get gets
    getting give given gives glad go goes going gone good got great had hadn happen happened happens has
    hasn have haven having he hello hence her here hers hey hi him his how however i ie if iirc im imho
    imo implement implemented impossible improve improves in indeed instead into is isn issue issues it
    its itself just kind know known least less let lets like likely ll lot lots m made make makes making
    many may maybe me mean means might mine more mostly much must my myself need needed needs neither
    never nice no nor not nothing now o of often ok okay on ones only onto or other others otherwise our
    ours out over per perhaps please possible pr pretty probably problem problems prs put quite rather re
    really s say says see seem seems seen several shall she should shouldn simple simply since so some
    somehow someone something sometimes somewhere soon still such suggest suggested sure t take takes than
    thank thanks that thats the their theirs them then there therefore these they thing things think this
    those though thus to together too toward towards try trying understand unless up upon us use used uses
    using usually ve very via vs w want wanted wants was wasn way we well went were weren what whatever
    when where whereas whether which while who whole whom whose why will wish with won wonder wondering
    would wouldn yes yet you your yours yourself
";

/// What templates and the manners of issues say.
const ISSUE_TALK: &str = "
    above absolutely actual additional additionally afaict after afterwards again annoying apparently
    aware away back before behave behaves behavior behaviors behaviour believe below between bunch case
    cases certain certainly checklist clearly code completely consider convenient correct correctly
    curious current describe described discussed discussion down easier entire entirely example expect
    expected expects feel feels fine first follow following frustrating general generally guess help
    helpful hope hopefully idea ideal ideally info information instance interested keep keeps last latest
    literally look looking looks machine mention mentioned mentions most motivation near new next notice
    noticed observed obvious obviously occur occurred occurs off official old once one opinion own
    particular particularly perfectly possibly previously proposal proposed provide provided reason
    reasons recent recently regarding regards related relatively report reported repro reproduce
    reproducer reproducible reproduction same screenshot screenshots second significantly situation
    slightly solution sort sounds specific specifically step steps strange suggestion support supported
    surprised surprising third thought thoughts through tldr today totally tried tries two under
    unexpected unfortunately until useful various version versions weird willing within without work
    workaround working works worth wrong yesterday
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_is_stopped_and_subjects_are_not() {
        for word in ["the", "should", "please", "currently"] {
            assert!(is_stop_word(word), "{word}");
        }
        for word in ["version", "expected", "behavior"] {
            assert!(is_issue_talk(word), "{word}");
        }
        for word in ["parser", "async", "error", "test", "config", "build"] {
            assert!(!is_stop_word(word) && !is_issue_talk(word), "{word}");
        }
    }
}
