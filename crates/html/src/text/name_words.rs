//! The words that names of elements are made of.

/// Calls `each` with the words of a name, in lower case: cut at all that `is_part` is false for and before a capital behind a small
/// letter.
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
