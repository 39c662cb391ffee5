/** The name of a parameter in a form or a query, with what stands in brackets behind it. */

const bracketForm = /\[([^[\]]*)\]/y;

/** `a[b][]` as `a`, `b` and the empty key. A name whose brackets don't add up is one plain key. */
export function parameterKeys(name: string): readonly string[] {
  const opening = name.indexOf("[");
  if (opening < 1) return [name];
  const keys = [name.slice(0, opening)];
  bracketForm.lastIndex = opening;
  let end = opening;
  for (let match = bracketForm.exec(name); match; match = bracketForm.exec(name)) {
    keys.push(match[1] as string);
    end = bracketForm.lastIndex;
  }
  return end === name.length ? keys : [name];
}
