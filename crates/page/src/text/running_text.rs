//! Whether a page consists of running text, as articles do. The content policy `auto` uses this.

use crate::PageFacts;
use threshr_html::text::is_word_char;

/// Minimum number of letters outside links in a block of running text. 80 letters are about 17 English words.
/// Letters are counted instead of words, because languages need different numbers of words for the same
/// content.
const LONG_BLOCK: u64 = 80;
/// Weight of a Chinese, Japanese or Korean character, because it represents a word or a syllable.
const CJK_WEIGHT: u64 = 4;

impl PageFacts<'_> {
    /// Returns whether at least 60 % of the letters outside links are in blocks with at least 80 such
    /// letters.
    pub fn is_running_text(&self) -> bool {
        let letters = (0..self.len()).map(|i| self.letters_outside_links(i));
        let add = |(long, all), n| (if n >= LONG_BLOCK { long + n } else { long }, all + n);
        let (long, all) = letters.fold((0u64, 0u64), add);
        long > 0 && 5 * long >= 3 * all
    }

    /// Returns the number of letters of a block, multiplied by the share of its words outside links.
    fn letters_outside_links(&self, index: usize) -> u64 {
        let stats = &self.stats[index];
        let (outside, all) = (u64::from(stats.num_text_words()), u64::from(stats.num_words));
        if outside == 0 {
            return 0;
        }
        let letters = self.blocks.text(index).chars().filter(|&c| is_word_char(c));
        letters.map(|c| if is_cjk(c) { CJK_WEIGHT } else { 1 }).sum::<u64>() * outside / all
    }
}

fn is_cjk(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    fn is_running(html: &str) -> bool {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        PageFacts::new(&doc, &blocks).is_running_text()
    }

    #[test]
    fn one_sentence_of_any_language_is_running_text() {
        for sentence in [
            "The committee said on Tuesday that it would not change the rules for the next season, whatever clubs might ask of it.",
            "Komisja ogłosiła we wtorek, że w przyszłym sezonie nie zmieni przepisów, bez względu na prośby klubów.",
            "Komite salı günü, kulüpler ne isterse istesin gelecek sezon için kuralları değiştirmeyeceğini açıkladı.",
            "قالت اللجنة يوم الثلاثاء إنها لن تغير القواعد في الموسم المقبل مهما كانت الطلبات التي ستقدمها الأندية إليها في الأشهر القادمة.",
            "위원회는 화요일 구단들이 무엇을 요구하든 다음 시즌에는 규정을 바꾸지 않겠다고 밝혔다.",
            "委员会周二表示，无论俱乐部提出什么要求，下个赛季都不会修改规则。",
        ] {
            assert!(is_running(&format!("<p>{sentence}<p>Home<p>About us")), "{sentence}");
            assert!(!is_running(&format!("<p><a href=x>{sentence}</a><p>Home<p>About us")), "{sentence}");
        }
        assert!(!is_running(
            "<p>위원회는 화요일 밝혔다<p>委员会周二表示<p>The committee said on Tuesday that it would not."
        ));
        assert!(!is_running(""));
    }

    #[test]
    fn the_threshold_is_three_in_five_letters() {
        let short = |n| "<p>abcde".repeat(n);
        let long = format!("<p>{}", "abcde ".repeat(18));
        assert!(is_running(&format!("{long}{}", short(12))));
        assert!(!is_running(&format!("{long}{}", short(13))));
    }
}
