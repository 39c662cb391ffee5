/** Encoding of values for a path, a query, a header and a form. */

/** Fills in `/parcels/{id}`. @throws TypeError for a value that would change the path */
export function pathOf(template, values) {
  let at = 0;
  return template
    .split("/")
    .map((segment) => {
      const written = segment.replace(/\{([^}]*)\}/g, (_, name) => {
        const value = textOf(values[at++]);
        if (value === "") throw new TypeError(`${name} is empty`);
        return encodeURIComponent(value);
      });
      // URL parsers normalize `.` and `..`: such a segment would be removed, together with the
      // segment before it.
      if (written !== segment && /^\.\.?$/.test(written)) throw new TypeError(`"${written}" is no name`);
      return written;
    })
    .join("/");
}

/**
 * Name and text of each query parameter of an object. A style is `[]`, `{}`, `json`, or the
 * separator of a list's values; a value without a style is sent as text.
 */
export function pairsOf(values, styles = {}) {
  return Object.entries(values ?? {}).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const style = styles[name];
    if (style === "{}") return nestedPairs(name, value, []);
    if (style === "[]") return [value].flat().map((item) => [listName(name), textOf(item)]);
    return [[name, styledText(value, style)]];
  });
}

function listName(name) {
  return name.endsWith("[]") ? name : `${name}[]`;
}

export function styledText(value, style) {
  if (style === "json") return JSON.stringify(value);
  return style !== undefined && Array.isArray(value) ? value.map(textOf).join(style) : textOf(value);
}

/** @param json dotted names of the members that are sent as JSON text */
export function formOf(body, json = []) {
  const pairs = Object.entries(body ?? {}).flatMap(([name, value]) => nestedPairs(name, value, json));
  return new URLSearchParams(pairs).toString();
}

/** `address[city]=Oslo`, `items[0][price]=p1`. */
function nestedPairs(name, value, json, path = name) {
  if (value === undefined) return [];
  if (json.includes(path)) return [[name, JSON.stringify(value)]];
  if (typeof value !== "object" || value === null) return [[name, textOf(value)]];
  return Object.entries(value).flatMap(([key, member]) =>
    nestedPairs(`${name}[${key}]`, member, json, Array.isArray(value) ? path : `${path}.${key}`),
  );
}

function textOf(value) {
  return value === null || value === undefined ? "" : String(value);
}

/** The value under a path of keys; undefined where the path leads nowhere, or without keys. */
export function valueAt(value, keys) {
  return keys?.reduce((inner, key) => inner?.[key], value);
}
