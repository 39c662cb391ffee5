/** The frame of every page: its head, the bar, the side list, the search. */
import { Html, html } from "./html.ts";
import { anchorOf, type OperationPage } from "./links.ts";
import { markdownPath } from "./llms.ts";
import { countText, type Page, type Site } from "./site.ts";

/**
 * Content security policy: a page may load only the site's own files, and may build no URL from
 * text except those of the search's two scripts. Code smuggled into a document could therefore
 * neither run nor send anything.
 */
function policyOf({ sandbox }: Site): string {
  // The sandbox, where there is one, is the only address that a page may request.
  const requests = sandbox ? ` connect-src ${new URL(sandbox.url).origin};` : "";
  return (
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;${requests} base-uri 'none'; form-action 'none'; ` +
    "require-trusted-types-for 'script'; trusted-types ninefold-docs"
  );
}

/**
 * A separate `Html`, because a bundler splits a template that contains a closing script tag, and
 * needs a package for it.
 */
const ownScript = new Html('<script src="site.js"></script>');

function tryScript({ url, spaceHeader }: NonNullable<Site["sandbox"]>): Html {
  return html`<script src="try.js" data-sandbox="${url}" data-space-header="${spaceHeader}">${new Html("</")}script>`;
}

export function pageText(site: Site, page: Page): string {
  const { model, wire } = site;
  const title = page.path === "index.html" ? model.name : `${page.title} · ${model.name}`;
  const side = sideList(site, page.path);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Html(policyOf(site))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${page.description}">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="site.css">
${ownScript}
${site.sandbox && tryScript(site.sandbox)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<details class="menu"><summary><span aria-hidden="true">☰</span><span class="hidden-words">Contents</span></summary><div class="menu-list"><nav class="side" aria-label="Contents, narrow">${side}</nav></div></details>
<a class="name" href="index.html">${model.name}</a>
${wire.version && html`<a class="version" href="versions.html">${wire.version.name}</a>`}
<span class="room"></span>
<button type="button" class="search-button needs-script" aria-label="Search"><span aria-hidden="true">⌕</span><span class="words" aria-hidden="true">Search</span><kbd aria-hidden="true">/</kbd></button>
<button type="button" class="theme-button needs-script" aria-label="Dark colours">☾</button>
</header>
<div class="frame">
<nav class="side" aria-label="Contents">${side}</nav>
<main id="main" tabindex="-1">
${page.body}
<footer class="foot">Made by Ninefold from <code>${fileName(model.file)}</code>. What the document doesn’t say is shown as a gap. <a rel="alternate" type="text/markdown" href="${markdownPath(page.path)}">This page as Markdown</a> · <a href="llms.txt">llms.txt</a></footer>
</main>
</div>
<dialog aria-label="Search"><input type="search" role="combobox" aria-expanded="true" aria-controls="search-results" aria-autocomplete="list" aria-label="Search" placeholder="Search" autocomplete="off" spellcheck="false"><ul class="search-results" id="search-results" role="listbox" aria-label="Found" hidden></ul><p class="search-status" role="status">Endpoints, fields, states, errors, events …</p></dialog>
</body>
</html>
`.text;
}

function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) as string;
}

/** The maximum number of operations in the menu of every page. */
const operationsInMenu = 40;

/** The site's contents, and the operations of the open page. */
function sideList(site: Site, path: string): Html {
  const { model, links } = site;
  const gaps = gapCount(site);
  const isSmall = site.wire.operations.length <= operationsInMenu;
  const pages = links.operationPages.filter((page) => page.number === 1);
  const resources = pages.filter((page) => page.resource !== undefined);
  const withoutResource = pages.filter((page) => page.resource === undefined);
  const item = (href: string, words: Html | string, behind?: Html | string) =>
    html`<li><a href="${href}"${href === path && new Html(' aria-current="page"')}><span>${words}</span>${behind}</a></li>`;
  const grouped = (list: readonly OperationPage[]) =>
    list.map((first) => {
      const all = links.operationPages.filter(
        (page) => page.group === first.group && page.resource === first.resource,
      );
      const current = all.find((page) => page.path === path);
      if (!current && !isSmall) return item(first.path, first.group);
      return html`<li><a href="${first.path}"${path === first.path && new Html(' aria-current="page"')}><span>${first.group}</span></a>${operationList(site, all, current ?? first)}</li>`;
    });
  return html`<h2>Guide</h2><ul>
${item("index.html", "Overview")}
${model.scenarios.length > 0 && item("scenarios.html", "Scenarios")}
${item("authentication.html", "Authentication")}
${item("errors.html", "Errors")}
${item("events.html", "Events")}
${item("limits.html", "Limits")}
${item("versions.html", "Versions")}
${item("gaps.html", "Gaps", html`<span class="chip${gaps > 0 && " open"}">${gaps}<span class="hidden-words"> open</span></span>`)}
</ul><h2>Reference</h2><ul>
${item("endpoints.html", "All endpoints")}
${item("resources.html", "All resources")}
${item("states.html", "All states")}
</ul>
${resources.length > 0 && html`<h2>Resources</h2><ul>${grouped(resources)}</ul>`}
${withoutResource.length > 0 && html`<h2>Further endpoints</h2><ul>${grouped(withoutResource)}</ul>`}`;
}

function operationList(site: Site, all: readonly OperationPage[], current: OperationPage): Html | undefined {
  const { wire } = site;
  const resource = wire.resources.find((wireResource) => wireResource.name === current.resource);
  const operations = current.operations.map(
    (operation) =>
      html`<li><a href="${current.path}#${encodeURIComponent(anchorOf.operation(operation))}"><span>${site.links.titleOf(operation)}</span><span class="method ${operation.method.toLowerCase()}">${operation.method}</span></a></li>`,
  );
  const further = all
    .filter((page) => page !== current)
    .map(
      (page) => html`<li><a href="${page.path}"><span>Page ${page.number} of ${all.length}</span></a></li>`,
    );
  const states =
    current.number === 1 &&
    resource?.resource.states !== undefined &&
    html`<li><a href="${current.path}#states"><span>States</span></a></li>`;
  const pieces = [...(states ? [states] : []), ...operations, ...further];
  return pieces.length === 0 ? undefined : html`<ul>${pieces}</ul>`;
}

/** How many of the 26 items are open, as `check` counts them. */
export function gapCount({ model }: Site): number {
  return model.ledger.filter((entry) => entry.answer === "not shown" || entry.answer === "silent").length;
}

/** `3 gaps`, including the smaller gaps. */
export function gapWords(site: Site): string {
  const smaller = site.model.ledger.reduce((count, entry) => count + entry.smallerGaps.length, 0);
  return `${countText(gapCount(site), "gap")}${smaller > 0 ? ` and ${countText(smaller, "smaller one")}` : ""}`;
}
