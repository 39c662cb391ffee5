/** The report of `verify` as a self-contained HTML page. */
import type { ReportRow, Verdict } from "../../explore/report.ts";
import type { VerifiedFault, Verification } from "../../explore/verify.ts";
import { type Html, html } from "../../outputs/docs/html.ts";
import { othersText, remainingText, requestLines } from "./report-text.ts";

const verdicts: readonly Verdict[] = ["broken", "holds", "not observable", "gap"];

const style = `
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8884; padding: .3rem .6rem; text-align: left; vertical-align: top; }
td.line { text-align: right; font-variant-numeric: tabular-nums; }
.verdict { font-weight: 600; white-space: nowrap; }
.holds { color: light-dark(#17692f, #6fcf8b); } .broken { color: light-dark(#b3261e, #ff8a80); }
.gap { color: light-dark(#7a5600, #e6b450); } .not-observable { color: light-dark(#5f6368, #a8adb4); }
pre { background: #8882; overflow-x: auto; padding: .6rem; white-space: pre-wrap; word-break: break-word; }
details { margin: .5rem 0; } summary { cursor: pointer; }
`;

export function reportHtml(
  file: string,
  url: URL,
  rows: readonly ReportRow[],
  verification: Verification,
): string {
  const { requests, stories, cases, seed, left, others } = verification;
  const count = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length;
  const parts = [...new Set(rows.map(({ part }) => part))];
  const faults = rows.flatMap((row) => row.faults);
  const page = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${file}: verified</title>
<style>${style}</style>
<h1>${file}</h1>
<p>Compared with <code>${url.href}</code>: ${verdicts.map((verdict, at) => html`${at === 0 ? "" : ", "}<span class="verdict ${classOf(verdict)}">${count(verdict)} ${verdict}</span>`)}.</p>
<p>${requests} requests in ${stories} stories. ${cases.sent} of ${cases.all} cases were sent. <code>--seed ${seed}</code> repeats them.${others ? ` ${othersText(others)}` : ""}${left > 0 ? ` ${remainingText(left)}.` : ""}</p>
${faults.length > 0 ? html`<h2>Broken</h2>${faults.map((fault) => faultHtml(file, url, fault))}` : ""}
${parts.map(
  (part) => html`<h2>${part}</h2>
<table>
<thead><tr><th scope="col">Verdict</th><th scope="col">Line</th><th scope="col">Item</th><th scope="col">Requests</th><th scope="col">Note</th></tr></thead>
<tbody>${rows.filter((row) => row.part === part).map(rowHtml)}</tbody>
</table>`,
)}
</html>
`;
  return page.text;
}

function classOf(verdict: Verdict): string {
  return verdict.replaceAll(" ", "-");
}

function rowHtml({ verdict, line, item, requests, reason }: ReportRow): Html {
  return html`<tr><td class="verdict ${classOf(verdict)}">${verdict}</td><td class="line">${line}</td><td>${item}</td><td class="line">${requests === 0 ? "" : requests}</td><td>${reason}</td></tr>
`;
}

function faultHtml(file: string, url: URL, fault: VerifiedFault): Html {
  const { endpoint, aspect, caseName, line, differences, steps, isRepeatable } = fault;
  return html`<details open>
<summary><strong>${endpoint.method} ${endpoint.path.text}</strong>, ${aspect}: ${caseName}${isRepeatable ? "" : " (seen once)"} (${file}:${line})</summary>
<table>
<thead><tr><th scope="col">What</th><th scope="col">Expected</th><th scope="col">Actual</th></tr></thead>
<tbody>${differences.map(({ what, expected, actual }) => html`<tr><td>${what}</td><td><code>${expected}</code></td><td><code>${actual}</code></td></tr>`)}</tbody>
</table>
<pre>${requestLines(url, steps).join("\n")}</pre>
</details>
`;
}
