//! Splits class names and ids into words.

/// Calls `each` with the words of a name in lower case.
///
/// Words are separated by characters for which `is_part` is false. A word also begins at a capital after a
/// lower-case letter.
pub fn for_each(name: &str, is_part: impl Fn(char) -> bool, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut after_lower = false;
    for c in name.chars() {
        let boundary = !is_part(c) || (c.is_uppercase() && after_lower);
        if boundary && !word.is_empty() {
            each(&word);
            word.clear();
        }
        if is_part(c) {
            word.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    if !word.is_empty() {
        each(&word);
    }
}
