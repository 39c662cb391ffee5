/** Parameter names of a form or a query with their bracketed keys. */

import type { Dotted } from "../support/dotted.ts";

const bracketForm = /\[([^[\]]*)\]/y;

/** Location of a parameter's value: `a[b]` and `a.b` are the part `b` of `a`. */
export function nestedKeys(name: string): Dotted {
  const [first = "", ...rest] = name.split(".");
  return name.includes("[") ? parameterKeys(name) : [first, ...rest];
}

/** `a[b][]` as `a`, `b` and the empty key. A name with unbalanced brackets is a single plain key. */
export function parameterKeys(name: string): Dotted {
  const opening = name.indexOf("[");
  if (opening < 1) return [name];
  const inner: string[] = [];
  bracketForm.lastIndex = opening;
  let end = opening;
  for (let match = bracketForm.exec(name); match; match = bracketForm.exec(name)) {
    inner.push(match[1] ?? "");
    end = bracketForm.lastIndex;
  }
  return end === name.length ? [name.slice(0, opening), ...inner] : [name];
}
