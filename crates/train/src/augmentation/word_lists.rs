//! Reads the word lists in `data/`, which are tab-separated files with comment lines.

/// Returns the rows of a word list. Lines that start with `#` are comments. Lines with a number of columns
/// other than `N` are skipped.
pub(crate) fn rows<const N: usize>(file: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    let columns = |line: &'static str| line.split('\t').collect::<Vec<_>>().try_into().ok();
    lines(file).filter_map(columns)
}

fn lines(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().filter(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_row() {
        let names = include_str!("../../data/names.tsv");
        assert_eq!(rows::<2>(names).count(), lines(names).count());
        for file in [include_str!("../../data/phrases.tsv"), include_str!("../../data/comment_systems.tsv")] {
            assert_eq!(rows::<3>(file).count(), lines(file).count());
            assert!(rows::<3>(file).flatten().all(|cell| !cell.trim().is_empty()));
        }
    }
}
