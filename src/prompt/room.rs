//! How many tokens go where: the dossier, what the model may ask for besides, its answer.

use super::need::MOST_ROUNDS;

/// A model's tokenizer takes more tokens for the same text than ours, and the server puts its own marks around each message.
/// Ollama refuses what does not fit after all, so that too little costs a message and no cut prompt.
const MARGIN_PERCENT: u32 = 15;
/// An answer with a change of a few files, and of a small window its quarter.
const ANSWER: u32 = 2_048;
const ANSWER_SHARE: u32 = 4;
/// Windows are chosen in such steps: Ollama loads a model anew, for seconds, whenever its window changes.
const STEP: u32 = 1_024;
/// Of a budget the part that is kept for what the model asks for.
const KEPT_SHARE: u32 = 4;
/// Words around what is given for a request.
const AROUND_GIVEN: u32 = 150;
/// Ollama counts the prompt that it has read; below this part of our count it has not read all of it.
const LEAST_READ_PERCENT: u64 = 60;

/// The tokens for a dossier and all that is asked for besides: what is set, where `by_user`; else at most half of the window.
pub fn budget(set: u32, by_user: bool, window: Option<u32>) -> u32 {
    match window {
        Some(window) if !by_user => set.min(window / 2),
        _ => set,
    }
}

/// Of a budget what the dossier itself may take.
pub fn for_dossier(budget: u32) -> u32 {
    budget - budget / KEPT_SHARE
}

/// The budget of which the dossier may take so much.
pub fn around_dossier(dossier: u32) -> u32 {
    dossier.saturating_add(dossier / (KEPT_SHARE - 1))
}

/// A prompt that does not fit: by how many tokens of our count it is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Over(pub u32);

/// The window to ask for: it holds `prompt` tokens of our count, `to_ask` more for requests, and an answer, and is no larger
/// than `most`, the model's own.
pub fn window(prompt: u32, to_ask: u32, most: u32) -> Result<u32, Over> {
    let asked = to_ask.saturating_add(AROUND_GIVEN * MOST_ROUNDS as u32);
    let prompt = with_margin(prompt.saturating_add(asked));
    let needed = prompt.saturating_add(ANSWER.min(most / ANSWER_SHARE));
    if needed > most {
        let over = u64::from(needed - most) * 100;
        return Err(Over(over.div_ceil(u64::from(100 + MARGIN_PERCENT)) as u32));
    }
    Ok(needed.next_multiple_of(STEP).min(most))
}

/// The tokens that an answer may have in a window that holds `prompt` tokens of our count: behind it the server would forget
/// the prompt's beginning.
pub fn answer_limit(window: u32, prompt: u32) -> u32 {
    window.saturating_sub(with_margin(prompt)).max(1)
}

/// Whether a server that counts `read` tokens has left out part of a prompt of `sent` tokens by our count.
pub fn is_cut(read: u64, sent: u32) -> bool {
    read * 100 < u64::from(sent) * LEAST_READ_PERCENT
}

fn with_margin(tokens: u32) -> u32 {
    tokens.saturating_add((u64::from(tokens) * u64::from(MARGIN_PERCENT)).div_ceil(100) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_at_most_half_of_the_window_unless_somebody_set_it() {
        assert_eq!(budget(8_192, false, None), 8_192);
        assert_eq!(budget(8_192, false, Some(32_768)), 8_192);
        assert_eq!(budget(8_192, false, Some(4_096)), 2_048);
        assert_eq!(budget(8_192, true, Some(4_096)), 8_192);
        assert_eq!((for_dossier(8_192), for_dossier(1), for_dossier(0)), (6_144, 1, 0));
        (0..20_000).for_each(|tokens| assert_eq!(for_dossier(around_dossier(tokens)), tokens));
    }

    #[test]
    fn a_window_holds_prompt_and_answer_in_steps_and_not_more_than_the_models() {
        assert_eq!(window(6_000, 2_000, 32_768), Ok(12_288));
        assert_eq!(window(6_010, 1_990, 32_768), Ok(12_288));
        assert_eq!(window(3_000, 0, 6_000), Ok(6_000));
        for (prompt, to_ask, most) in [(6_000, 2_000, 9_000), (100_000, 0, 32_768), (1_000, 500, 2_048)] {
            let Err(Over(over)) = window(prompt, to_ask, most) else { panic!("{prompt} fits") };
            let less = (prompt + to_ask).saturating_sub(over);
            assert!(window(less, 0, most).is_ok() && window(less + 2, 0, most).is_err(), "{over}");
        }
        assert!(window(u32::MAX, u32::MAX, 4_096).is_err());
        assert!(answer_limit(10_240, 6_000) > 2_048);
        assert_eq!(answer_limit(100, 6_000), 1);
    }

    #[test]
    fn a_cut_prompt_is_told_from_another_tokenizer() {
        assert!(is_cut(4_096, 8_000));
        assert!(!is_cut(6_500, 8_000) && !is_cut(9_000, 8_000));
    }
}
