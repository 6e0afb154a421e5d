use super::*;

fn read(bytes: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(&mended(without_mark(bytes)))
}

#[test]
fn json_of_other_programs_is_read() {
    for (text, expected) in [
        ("\u{feff}{\"a\": 1}", r#"{"a":1}"#),
        (r#"{"a": NaN, "b": -Infinity, "c": [Infinity]}"#, r#"{"a":null,"b":null,"c":[null]}"#),
        (r#"{"a": "NaN \" 12345678901234567890"}"#, r#"{"a":"NaN \" 12345678901234567890"}"#),
        (r#"{"a": 12345678901234567890, "b": -1.5e3}"#, r#"{"a":"12345678901234567890","b":-1500.0}"#),
        (r#"{"a": "\ud83d\ude00 \ud83d"}"#, "{\"a\":\"\u{1f600} \u{fffd}\"}"),
        (r#"{"a": "x"}"#, r#"{"a":"x"}"#),
    ] {
        assert_eq!(read(text.as_bytes()).expect(text).to_string(), expected, "{text}");
    }
}

#[test]
fn broken_json_is_an_error() {
    for text in ["", "{", "\"a", "\"\\", "\"\\u12", "-", "Nan", "{\"a\": NaN", "12345678901234567890x"] {
        assert!(read(text.as_bytes()).is_err(), "{text}");
    }
}
