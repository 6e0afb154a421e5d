// Requests to the server. The token is in the address that the program prints.

const KEY = "threshr-token";

function token() {
  const given = location.hash.slice(1);
  if (given) {
    sessionStorage.setItem(KEY, given);
    // removes the token from the address bar and the history
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

let current = token();

/** Takes the token of an address that the program printed. Returns whether the address has one and is of this origin. */
export function useAddress(text) {
  const address = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  if (!address || address.origin !== location.origin || address.hash.length < 2) return false;
  current = address.hash.slice(1);
  sessionStorage.setItem(KEY, current);
  return true;
}

export class RequestError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, {
      ...options,
      headers: { ...options.headers, "X-Threshr-Token": current },
      credentials: "omit",
      redirect: "error",
    });
  } catch {
    throw new RequestError(0, "the program does not answer");
  }
  const text = await response.text();
  if (!response.ok) {
    let message = text;
    try {
      message = JSON.parse(text).error ?? text;
    } catch {
      // the response is plain text
    }
    throw new RequestError(response.status, message);
  }
  return JSON.parse(text);
}

export const get = (path) => request(path);

export const post = (path, body) =>
  request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
