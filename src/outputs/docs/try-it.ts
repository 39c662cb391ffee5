/**
 * *Try it*: a request to edit and send to a sandbox, where the site has one. It starts as the
 * example above it, with the scenario's captures as values to fill in. It keeps the values that a
 * response sets for later requests.
 */
import { captureWords, readCaptures } from "../../model/scenarios/captures.ts";
import type { Json } from "../../support/json.ts";
import { html, type Html, nothing } from "./html.ts";
import type { RequestText, VariableWords } from "./request-code.ts";
import { capturesIn, jsonOf, jsonText, plainString } from "./scenario-text.ts";
import type { Site } from "./site.ts";

/** @param response the body that the scenario expects, whose captures become values */
export function tryIt(site: Site, request: RequestText, wordsOf: VariableWords, response?: string): Html {
  if (!site.sandbox) return nothing;
  const { method, target, headers, body = "" } = request;
  const json = jsonOf(body);
  const lines = [
    ...headers.map(({ name, value }) => `${name}: ${value}`),
    ...(body === "" || headers.some(({ name }) => name.toLowerCase() === "content-type")
      ? []
      : ["Content-Type: application/json"]),
  ];
  const text = json === undefined ? body : jsonText(json);
  const values = capturesIn([target, ...lines, text].join("\n"));
  const captured = response === undefined ? [] : capturesOf(jsonOf(response) ?? null, []);
  return html`<details class="try needs-script"><summary>Try it</summary><div class="try-form" data-method="${method}" data-captures="${JSON.stringify(captured)}">
${values.map(
  (name) =>
    html`<label><span>${name} <span class="quiet">${name === captureWords.run ? "new each time" : wordsOf(name)}</span></span><input type="text" data-value="${name}" autocomplete="off" spellcheck="false"></label>`,
)}
<label><span>${method}</span><input type="text" data-part="target" value="${target}" autocomplete="off" spellcheck="false"></label>
<label><span>Headers</span><textarea data-part="headers" rows="${Math.max(lines.length, 1)}" spellcheck="false">${lines.join("\n")}</textarea></label>
${method !== "GET" && method !== "HEAD" && html`<label><span>Body</span><textarea data-part="body" rows="${Math.min(Math.max(text.split("\n").length, 2), 16)}" spellcheck="false">${text}</textarea></label>`}
<p class="try-actions"><button type="button" data-action="send">Send to the sandbox</button> <button type="button" data-action="stop" hidden>Stop</button></p>
<p class="try-status" role="status"></p>
<div class="code" hidden><pre tabindex="0" role="group" aria-label="The response"><code></code></pre></div>
</div></details>`;
}

/** The captures that the response to a request sets, each with its path in the body. */
function capturesOf(
  json: Json,
  path: readonly (string | number)[],
): readonly { readonly name: string; readonly path: readonly (string | number)[] }[] {
  if (typeof json === "string") {
    const text = plainString(json);
    const [capture, ...others] = readCaptures(text).captures;
    const isWhole = capture !== undefined && others.length === 0 && capture.to - capture.from === text.length;
    return isWhole && capturesIn(text).length === 1 ? [{ name: capture.name, path }] : [];
  }
  if (Array.isArray(json)) return json.flatMap((item, at) => capturesOf(item, [...path, at]));
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) => capturesOf(value as Json, [...path, key]));
}
