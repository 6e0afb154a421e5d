//! Tests of Markdown: units and lines.

use crate::formats::WriteOptions;
use crate::formats::markdown::inline::delimiters_of_code;
use crate::formats::tests::{written, written_with};

/// A page with all blocks kept.
fn of(html: &str) -> String {
    written("markdown", html).trim_end_matches('\n').to_owned()
}

#[test]
fn elements_become_markup() {
    assert_eq!(of("<h2>A <b>b</b><br>c</h2><p>one<br>two<p>three"), "## A b c\n\none\\\ntwo\n\nthree");
    assert_eq!(
        of("<p>x<ul><li>a<li>b<ul><li>c</ul><li><p>d<p>e</ul><ol start=3><li>f<li>g</ol><p>y"),
        "x\n\n- a\n\n- b\n  - c\n\n- d\n\n  e\n\n3. f\n4. g\n\ny"
    );
    assert_eq!(of("<blockquote><p>a<br>b<p>c</blockquote>d"), "> a\\\n> b\n>\n> c\n\nd");
    assert_eq!(of("<pre>a *b*\n```\nc</pre>"), "````\na *b*\n```\nc\n````");
    assert_eq!(of("<pre><h2>A</h2>b</pre>c"), "```\nA\nb\n```\n\nc");
    let code = "<ul><li>x<pre>a {\n\n  b\n}</pre></ul><pre><div>c</div><div>  d</div></pre>";
    assert_eq!(of(code), "- x\n\n  ```\n  a {\n\n    b\n  }\n  ```\n\n```\nc\n  d\n```");
    assert_eq!(of(""), "");
}

#[test]
fn items_are_nested() {
    let html = "<ol><li value=1>a<ul><li>b<ol><li>c</ol></ul>d<li>e<blockquote><p>f<p>g</blockquote>h</ol>";
    assert_eq!(of(html), "1. a\n\n   - b\n     1. c\n\n   d\n\n2. e\n\n   > f\n   >\n   > g\n\n   h");
    assert_eq!(of("<blockquote>a<ul><li>b<li>c</ul></blockquote>"), "> a\n>\n> - b\n> - c");
    let nested = "<blockquote>a<blockquote>b<p>c</blockquote>d<ul><li>e<blockquote>f<p>g</blockquote></ul></blockquote>";
    assert_eq!(of(nested), "> a\n>\n> > b\n> >\n> > c\n>\n> d\n>\n> - e\n>\n>   > f\n>   >\n>   > g");
    assert_eq!(of("<ul><li><blockquote><h3>a</h3>b</blockquote></ul>"), "- > ### a\n  >\n  > b");
    // directly below text a list can only start with 1
    assert_eq!(of("<ul><li>a<ol start=3><li>b<li value=7>c<li>d</ol></ul>"), "- a\n\n  3. b\n  7. c\n  8. d");
    assert_eq!(of("<ol start=1234567890><li>a</ol>"), "- a");
    let open = "<ol><li>a<ul><li>b<h3>x</h3></ul>e<li>f</ol>";
    assert_eq!(of(open), "1. a\n\n   - b\n\n     ### x\n\n   e\n\n2. f");
    let quoted = "<ul><li>a<blockquote>q<ul><li>b</ul>r</blockquote>s</ul>";
    assert_eq!(of(quoted), "- a\n\n  > q\n  >\n  > - b\n  >\n  > r\n\n  s");
    // a heading ends the list and becomes the first line of its item
    assert_eq!(of("<ul><li>a<h3>b</h3><p>c<li>d</ul>"), "- a\n\n  ### b\n\n  c\n\n- d");
}

#[test]
fn empty_and_wide_cells_keep_columns() {
    let head = "<table><tr><th>a<th>b<th>c<tr>";
    for (row, written) in [
        ("<td>1<td><td>3", "| 1 |  | 3 |"),
        ("<td colspan=2>1<td>3", "| 1 |  | 3 |"),
        ("<td>1<td rowspan=2>2<td>3<tr><td>4<td>6", "| 1 | 2 | 3 |\n| 4 |  | 6 |"),
        ("<td><ul><li>x<li>y</ul><td><p>p<p>q", "| - x<br>- y | p<br>q |  |"),
        ("<td><ul><li>x</ul><td>p", "| x | p |  |"),
        ("<td>l<ol start=3><li>x<li>y</ol>m<td>p", "| l<ol start=\"3\"><li>x</li><li>y</li></ol>m | p |  |"),
        (
            "<td><ul><li>x<ul><li>y<li>z</ul><li>w</ul><td>p",
            "| <ul><li>x<ul><li>y</li><li>z</li></ul></li><li>w</li></ul> | p |  |",
        ),
        ("<td colspan=3>all", "| all |  |  |"),
        ("<td rowspan=99999999999999999999 colspan=0>1<td>2", "| 1 | 2 |  |"),
    ] {
        assert_eq!(
            of(&format!("{head}{row}")),
            format!("| a | b | c |\n| --- | --- | --- |\n{written}"),
            "{row}"
        );
    }
    // layout tables
    let nested = "<table><tr><td>a<td><table><tr><td>b</table><td>c<td>d";
    assert_eq!(of(nested), "a\n\nb\n\nc\n\nd");
    let long = "Many words. ".repeat(30);
    assert!(!of(&format!("<table><tr><td>{long}<td>b<td>c")).contains('|'));
    assert!(!of("<table><tr><td><pre>a</pre><td>b<td>c").contains('|'));
    // columns in which no cell starts are not written
    assert_eq!(of("<table><tr><td colspan=2>a<td colspan=99>b"), "a\n\nb");
    assert!(!of(&format!("<table><tr>{}", "<td>a".repeat(65))).contains('|'));
}

#[test]
fn lists_and_quotations_in_cells_are_ignored() {
    let row = "<tr><td>1<td>2";
    assert_eq!(
        of(&format!("<table><tr><td><blockquote>q</blockquote><td>x{row}")),
        "| q | x |\n| --- | --- |\n| 1 | 2 |"
    );
    assert_eq!(
        of(&format!("<ul><li>i<table><tr><td><ul><li>a<li>b</ul><td>c{row}</table></ul>")),
        "- i\n\n  | - a<br>- b | c |\n  | --- | --- |\n  | 1 | 2 |"
    );
}

#[test]
fn layout_tables_are_not_tables() {
    let table = "<table><tr><th>a<th>b|c<tr><td>1<td>2</table>";
    assert_eq!(of(table), "| a | b\\|c |\n| --- | --- |\n| 1 | 2 |");
    assert_eq!(of(&format!("{table}{table}")).matches("---").count(), 4);
    let long = "word ".repeat(60);
    assert!(!of(&format!("<table><tr><td>menu<td>{long}</table>")).contains('|'));
}

#[test]
fn text_that_looks_like_markup_is_escaped() {
    assert_eq!(of("<p>1. a_b *c* [d] &lt;e>"), "1\\. a_b \\*c\\* [d] \\<e>");
    assert_eq!(of("<p>61.59 %<p>2)"), "61.59 %\n\n2\\)");
    assert_eq!(of("<p># x<p>- y<p>2020 was 1-2"), "\\# x\n\n\\- y\n\n2020 was 1-2");
}

#[test]
fn elements_become_marks() {
    for (html, written) in [
        ("a <em>b</em> <strong>c d</strong>, <del>e</del>", "a *b* **c d**, ~~e~~"),
        ("<b>a <i>b</i></b>, <i><b>c</b> d</i>", "__a *b*__, _**c** d_"),
        ("<b>a</b> <b>b</b><br><b>c</b>", "**a b\\\nc**"),
        ("<b> a </b>b", "**a** b"),
        ("6 &times; 10<sup>23</sup>, H<sub>2</sub>O", "6 × 10<sup>23</sup>, H<sub>2</sub>O"),
        ("said<sup><a href=x><i>[</i>1<i>]</i></a></sup>", "said[\\[1\\]](x)"),
        ("said<sup><span>[</span>1]</sup>", "said[1]"),
        (
            "-5<br>- 5<br>+3<br>1) a<br>#tag<br># b<br>---<br>= = 4<br>==",
            "-5\\\n\\- 5\\\n+3\\\n1\\) a\\\n#tag\\\n\\# b\\\n\\---\\\n= = 4\\\n\\==",
        ),
        ("<a href=x>a <i>b</i></a>", "[a *b*](x)"),
        ("<i></i>a", "a"),
    ] {
        assert_eq!(of(&format!("<p>{html}</p>")), written, "{html}");
    }
    assert_eq!(of("<p>|a<br><code>b|c</code>"), "\\|a\\\n`b|c`");
    assert_eq!(of("<h2>a #</h2>"), "## a \\#");
    assert_eq!(of("<p>&amp;amp; &amp;#x26; &amp; a;</p>"), "\\&amp; \\&#x26; & a;");
    assert_eq!(of("<h2><b>a</b> <i>b</i></h2>"), "## a *b*");
    // only elements inside the block count
    assert_eq!(of("<b><div>a</div></b>"), "**a**");
}

#[test]
fn code_is_verbatim() {
    for (html, written) in [
        ("call <code>a_b(*c)</code>.", "call `a_b(*c)`."),
        ("<code>a`b</code> <kbd>`</kbd>", "``a`b`` `` ` ``"),
        ("<code>a<br>b</code> c_d", "`a`\\\n`b` c_d"),
        ("<b><code>a</code></b> b", "**`a`** b"),
        ("<b><code>a</code></b>b", "`a`b"),
        ("<code>x<sup>2</sup></code>", "`x2`"),
        ("<code>a</code><s><b>b</b></s><kbd>c</kbd>", "`a`~~**b**~~`c`"),
        ("<code>a<b>b</b></code><i><code>c</code></i>d", "`abc`d"),
        ("<sup><code>b*</code></sup>", "`b*`"),
        ("<tt>1.</tt> a", "`1.` a"),
    ] {
        assert_eq!(of(&format!("<p>{html}</p>")), written, "{html}");
    }
}

#[test]
fn marks_that_would_not_be_read_are_left_out() {
    for (html, written) in [
        ("<b>T</b>he end", "The end"),
        ("un<b>do</b>ne", "un**do**ne"),
        ("这是<b>重要</b>的", "这是**重要**的"),
        ("这是<b>“重要”</b>的", "这是“**重要**”的"),
        ("<b>aa</b><i>bb</i>", "**aa**bb"),
        ("<b>aa<i>bb</i></b><i>cc</i>", "**aabb**cc"),
        ("<b>a</b>(<i>b</i>)", "**a**(*b*)"),
        // three asterisks in a row would be ambiguous
        ("<i><b>Note</b> un<b>do</b>ne</i>", "_**Note** un**do**ne_"),
        ("x<i><b>aa</b> bb</i>", "x**aa** bb"),
        ("<b><i>aa</i></b>b", "*aa*b"),
        // another mark is between the outer mark and the letter
        ("a<del><b>bb</b></del>", "a**bb**"),
        ("<b>aa <del>bb</del></b>cc", "aa ~~bb~~cc"),
        ("<b>aa <del>b\"</del></b>", "__aa ~~b\"~~__"),
        // combining marks are neither letters nor punctuation
        ("ที่<b>“ดี”</b>", "ที่“ดี”"),
        ("a&#8203;<b>(b)</b>", "a(**b**)"),
        ("a~<del>b ~</del>", "a\\~~~b \\~~~"),
        ("2<i>x</i> <i>n</i>th", "2*x n*th"),
    ] {
        assert_eq!(of(&format!("<p>{html}</p>")), written, "{html}");
    }
}

#[test]
fn code_of_several_elements_is_one_piece() {
    let html =
        "<p><code><span>git</span> <span>bisect <i>x</i></span></code> and <code>a</code> <code>b</code>";
    assert_eq!(of(html), "`git bisect x` and `a` `b`");
    let html = "<p><code>f(<a href=/x>X</a> x)</code> <code><b>if</b> <b><i>y</i></b></code>";
    assert_eq!(of(html), "`f(`[`X`](/x) `x)` `if y`");
}

/// Every sequence of three pieces, each inside one of the elements that pages put into code.
#[test]
fn without_links_code_is_one_piece() {
    let options = WriteOptions { links: false, images: false, ..WriteOptions::default() };
    let pieces = ["f(", "x_1 ", " [k]", "a|b", "*c*", "``", "\\d ", "![e](u)", "$y$"];
    let elements = [("", ""), ("<a href=/x>", "</a>"), ("<b>", "</b>"), ("<a href=/y><i>", "</i></a>")];
    let all: Vec<String> = pieces
        .iter()
        .flat_map(|piece| elements.map(|(open, close)| format!("{open}{piece}{close}")))
        .collect();
    let text_of = |number: usize| pieces[number / elements.len()];
    for (a, first) in all.iter().enumerate() {
        for (b, second) in all.iter().enumerate() {
            // the third piece varies with the others, so that each of them comes last
            let c = (a + 5 * b) % all.len();
            let text = [a, b, c].map(text_of).concat().split_whitespace().collect::<Vec<_>>().join(" ");
            let [open, close] = delimiters_of_code(&text);
            let code = format!("<code>{first}{second}{}</code>", all[c]);
            let line = written_with("markdown", &format!("<p>See {code} here."), options);
            assert_eq!(line.trim_end(), format!("See {open}{text}{close} here."), "{code}");
            let row = format!("<table><tr><th>h<th>i<tr><td>See {code} here.<td>j</table>");
            let cell = format!("| See {open}{}{close} here. | j |", text.replace('|', "\\|"));
            assert!(written_with("markdown", &row, options).contains(&cell), "{code}");
        }
    }
}

#[test]
fn only_signs_that_make_pairs_are_escaped() {
    for (html, written) in [
        ("$125,000 or $250,000", "$125,000 or $250,000"),
        ("$5, a$b", "$5, a\\$b"),
        ("<s>$17</s><br><a href=http://a/>$15</a>", "~~$17~~\\\n[\\$15](http://a/)"),
        ("2*3 and 4* and *5", "2\\*3 and 4\\* and *5"),
        ("4* and 5*", "4* and 5*"),
        ("a *b* c", "a \\*b\\* c"),
        ("a<br>2. b<br>1. c", "a\\\n2. b\\\n1\\. c"),
        ("2. a", "2\\. a"),
    ] {
        assert_eq!(of(&format!("<p>{html}</p>")), written, "{html}");
    }
}

#[test]
fn punctuation_beside_a_letter_has_no_mark() {
    for (html, written) in [
        ("<b>Note:</b>text", "**Note**:text"),
        ("<b>张汉晖：</b>您好", "**张汉晖**：您好"),
        ("a<b>(b)</b>c", "a(**b**)c"),
        ("<b>Note:</b> text", "**Note:** text"),
    ] {
        assert_eq!(of(&format!("<p>{html}</p>")), written, "{html}");
    }
}

#[test]
fn units_that_markdown_would_lose_are_written_in_another_way() {
    assert_eq!(of("<dl><dt>T<dd><ul><li>x<li>y</ul></dl>"), "T\n\n- x\n- y");
    let long = "word ".repeat(50);
    let html = format!("<h2>What to bring<p>{long}<p>Shoes.</h2>");
    assert_eq!(of(&html), format!("## What to bring\n\n{}\n\nShoes.", long.trim()));
    assert_eq!(of("<p>a<p>&zwj;<p>b"), "a\n\nb");
}

#[test]
fn alternative_texts_contain_no_tags_and_no_code() {
    let image = of("<p>It rained <img src=http://a/b.png alt='x <script>y</script> `z [w]'>");
    assert_eq!(image, "It rained ![x \\<script>y\\</script> \\`z \\[w\\]](http://a/b.png)");
}

#[test]
fn formulas_contain_no_tags() {
    let tex = |tex: &str| of(&format!("<p>It is <script type=math/tex>{tex}</script>."));
    assert_eq!(tex("a<b"), "It is $a<b$.");
    assert_eq!(tex("a<b>c"), "It is $a< b>c$.");
    assert_eq!(tex("<img src=\"x"), "It is $< img src=\"x$.");
    assert_eq!(tex("a<b^2 and a<b"), "It is $a<b^2 and a<b$.");
    assert_eq!(
        of("<p>Then<p><script type='math/tex; mode=display'><script></script><p>so"),
        "Then\n\n$$\n< script>\n$$\n\nso"
    );
}

#[test]
fn bars_in_formulas_of_cells_are_escaped() {
    let table = "<table><tr><th>a<th>b<tr><td>2<td><math><mo>|</mo><mi>x</mi><mo>|</mo></math></table>";
    assert!(of(table).ends_with("| 2 | $\\|x\\|$ |"), "{}", of(table));
}
