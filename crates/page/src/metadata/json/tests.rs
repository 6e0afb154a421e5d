use super::*;
use serde_json::json;

#[test]
fn broken_json_is_read() {
    for (text, expected) in [
        (r#"{"a": 1, "b": [1, 2,],}"#, json!([{"a": 1, "b": [1, 2]}])),
        ("{\"a\": \"x\ny\"}", json!([{"a": "x y"}])),
        ("/* <![CDATA[ */ {\"a\": 1} /* ]]> */", json!([{"a": 1}])),
        ("//<![CDATA[\n{\"a\": 1}\n//]]>", json!([{"a": 1}])),
        ("<!-- {\"a\": 1} -->", json!([{"a": 1}])),
        (r#"{"a": 1}{"b": 2};"#, json!([{"a": 1}, {"b": 2}])),
        (r#"{"a": "He said "yes" to it", "b": 2}"#, json!([{"a": "He said \"yes\" to it", "b": 2}])),
        (r#"{"a": "\ud83d\ude00\u00e4\\\"", }"#, json!([{"a": "😀ä\\\""}])),
        (r#"{"a": 1} {"b": x}"#, json!([{"a": 1}])),
        ("no json", json!([])),
    ] {
        assert_eq!(Value::Array(values(text)), expected, "{text}");
    }
}

#[test]
fn hostile_json_is_read_in_bounded_time() {
    let started = std::time::Instant::now();
    for text in [
        "[".repeat(1_000_000),
        "{\"a\":".repeat(300_000),
        "[1,".repeat(300_000),
        "\"".repeat(1_000_000),
        format!("{{\"a\": {}", "\" ".repeat(300_000)),
        "/*".repeat(300_000),
        format!("[{}", "// ".repeat(300_000)),
        "{a}".repeat(300_000),
        format!("{{\"a\": \"{}", "\"                    x".repeat(50_000)),
    ] {
        values(&text);
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
