//! Gelembjuk's method: descend into the child with most text until the text is evenly distributed.

use serde::Deserialize;
use threshr_extract::baseline::{How, Method, System, SystemInput, SystemOption, option};
use threshr_html::{Kind, NodeId, Tag};

/// Keeps the element whose text is evenly distributed over its children.
///
/// The search starts at `<body>`. If only one child has text, the search descends into this child. Otherwise
/// it computes K = 100 · LV / FTL, where LV is the mean absolute deviation of the children's text lengths,
/// and FTL is the node's text length. If K is below the threshold, or the node has no children, the node is
/// the content. Otherwise the search descends into the child with the most text. Among equally long children,
/// it descends into the first. Children are elements with text and text nodes. Lengths count characters
/// without white space. Hidden text is ignored.
pub(crate) static SYSTEM: System = System {
    name: "text-distribution",
    summary: "keeps the element whose text is evenly distributed over its children",
    source: "Gelembjuk, How to extract useful content from HTML page, 2011",
    options: &[SystemOption::new(
        "threshold",
        "5",
        "limit of K: mean absolute deviation of the children's text lengths, in percent of the text",
    )],
    ..System::new(How::Plain(|settings| Ok(Box::new(option::read::<TextDistribution>(settings)?))))
};

#[derive(Debug, Deserialize)]
struct TextDistribution {
    threshold: f64,
}

impl Method for TextDistribution {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        let doc = page.doc;
        let body =
            doc.descendants(doc.root()).find(|&n| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::BODY);
        let Some(body) = body else { return vec![false; page.blocks.len()] };
        let content = self.descend(page, body, &lengths(page));
        let texts = doc.descendants(content).chain([content]).filter(|&n| doc.kind(n) == Kind::Text);
        let ranges: Vec<_> = texts.map(|n| doc.text_range(n)).collect();
        page.keep_ranges(&ranges)
    }
}

impl TextDistribution {
    fn descend(&self, page: &SystemInput<'_>, body: NodeId, lengths: &[u32]) -> NodeId {
        let doc = page.doc;
        let mut node = body;
        loop {
            let first = doc.first_child(node);
            let children =
                std::iter::successors(first, |&n| doc.next_sibling(n)).filter(|&n| lengths[n as usize] > 0);
            let children: Vec<NodeId> = children.collect();
            let texts: Vec<f64> = children.iter().map(|&n| f64::from(lengths[n as usize])).collect();
            // of equally long children, the first is chosen
            let Some(longest) = (0..texts.len()).rev().max_by(|&a, &b| texts[a].total_cmp(&texts[b])) else {
                return node;
            };
            if texts.len() > 1 && unevenness(&texts) < self.threshold {
                return node;
            }
            node = children[longest];
        }
    }
}

/// Returns K: 100 times the mean absolute deviation divided by the sum.
fn unevenness(lengths: &[f64]) -> f64 {
    let sum: f64 = lengths.iter().sum();
    let mean = sum / lengths.len() as f64;
    let deviation = lengths.iter().map(|l| (l - mean).abs()).sum::<f64>() / lengths.len() as f64;
    100.0 * deviation / sum
}

/// Returns, for every node, the number of characters of visible text in it, without white space.
fn lengths(page: &SystemInput<'_>) -> Vec<u32> {
    let doc = page.doc;
    let mut lengths = vec![0u32; doc.num_nodes()];
    let order: Vec<NodeId> = doc.descendants(doc.root()).collect();
    // children follow their parents in document order, so the reverse order visits children first
    for &node in order.iter().rev() {
        if doc.kind(node) == Kind::Text && page.is_shown(node) {
            let num = doc.text(node).chars().filter(|c| !c.is_whitespace()).count();
            lengths[node as usize] = u32::try_from(num).unwrap_or(u32::MAX);
        }
        if let Some(parent) = doc.parent(node) {
            let own = lengths[node as usize];
            lengths[parent as usize] = lengths[parent as usize].saturating_add(own);
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    fn kept(html: &str) -> Vec<String> {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let kept = TextDistribution { threshold: 5.0 }.keep(&SystemInput::new(&doc, &blocks));
        (0..blocks.len()).filter(|&i| kept[i]).map(|i| blocks.text(i).to_owned()).collect()
    }

    #[test]
    fn lengths_that_differ_little_are_even() {
        // mean 20, deviations 10, 0, 10: LV = 6.67, FTL = 60, K = 11.1
        assert!((unevenness(&[10.0, 20.0, 30.0]) - 100.0 * (20.0 / 3.0) / 60.0).abs() < 1e-9);
        // mean 25, deviations 1, 1, 2, 2: LV = 1.5, FTL = 100, K = 1.5
        assert!((unevenness(&[24.0, 26.0, 23.0, 27.0]) - 1.5).abs() < 1e-9);
    }

    #[test]
    fn gelembjuks_table() {
        // The published example. The body has one child, the table, which has one child, the tbody. Its rows have
        // 4 and 110 characters: mean 57, LV 53, K = 100·53/114 = 46, so the search descends into the second row.
        // The cells of this row have 6 and 104: K = 100·49/110 = 44, so it descends into the second cell. The
        // paragraphs of this cell have 34, 36 and 34: mean 34.67, LV = (.67 + 1.33 + .67)/3 = .89, K = .85, so
        // the cell is the content.
        let p = |n: usize| format!("<p>{}</p>", "x".repeat(n));
        let html = format!(
            "<body><table><tr><td>Logo</td></tr><tr><td>Menu12</td><td>{}{}{}</td></tr></table></body>",
            p(34),
            p(36),
            p(34)
        );
        assert_eq!(kept(&html).iter().map(String::len).collect::<Vec<_>>(), [34, 36, 34]);
    }

    #[test]
    fn a_leaf_is_reached_where_nothing_is_even() {
        assert_eq!(kept("<div>ab</div><div><p>a long text</p><p>b</p></div>"), ["a long text"]);
        assert!(kept("").is_empty());
    }
}
