/**
 * Configuration of the documentation site: VitePress over the repository's own Markdown. Pages load
 * nothing from another host, which the content security policy of each page enforces.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DefaultTheme, defineConfig } from "vitepress";
import { edition, isCurrent, type Version } from "./edition.ts";
import { diagnosticsNavigation, type NavigationItem, navigation } from "./navigation.ts";
import { anchorOf, siteLink } from "./pages.ts";

const { version, versions } = edition;

const policy = [
  "default-src 'self'",
  // The generator's inline scripts set the colours before the first paint and name the pages.
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/**
 * Pages whose text stays out of the search: lists and documents that would crowd out the
 * explanations.
 */
const unsearched = /^(CHANGELOG|CONTRIBUTING|examples\/.*|deploy\/.*)\.md$/;

/** Includes the data of the links to other versions. */
type ThemeConfig = DefaultTheme.Config & { readonly version: string; readonly versions: readonly Version[] };

/** Maximum length of inline code that is not broken into lines, in characters. */
const unbrokenMax = 24;

/** The pages of the menu. Others have no neighbours in it. */
const listed = new Set(linksOf([...navigation(), ...Object.values(diagnosticsNavigation()).flat()]));

function linksOf(items: readonly NavigationItem[]): readonly string[] {
  return items.flatMap(({ link = "", items = [] }) => [link, ...linksOf(items)]);
}

export default defineConfig<ThemeConfig>({
  title: "Ninefold",
  description: "The specification is the service: checked, served, tested and exported.",
  lang: "en",
  cleanUrls: false,
  lastUpdated: false,
  transformPageData({ relativePath, filePath, frontmatter }, { siteConfig }) {
    const isListed = listed.has(`/${relativePath.replace(/(?:index)?\.md$/, "")}`);
    const hasHeadings = /^##/m.test(readFileSync(join(siteConfig.srcDir, filePath), "utf8"));
    return {
      frontmatter: {
        ...frontmatter,
        ...(isListed ? {} : { prev: false, next: false }),
        ...(hasHeadings ? {} : { pageClass: "without-headings" }),
      },
    };
  },
  head: [["meta", { "http-equiv": "Content-Security-Policy", content: policy }]],
  markdown: {
    // The notation uses braces and colons itself.
    attrs: false,
    emoji: false,
    math: false,
    container: false,
    toc: false,
    snippet: false,
    include: false,
    tableTabIndex: true,
    anchor: { slugify: anchorOf },
    languageAlias: { cel: "text", console: "sh", gitignore: "text" },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(md) {
      md.core.ruler.push("site-links", ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const target = token.type === "link_open" ? token.attrGet("href") : null;
          if (typeof target === "string") token.attrSet("href", siteLink(String(env.relativePath), target));
        }
      });
      md.core.ruler.push("empty-headers", ({ tokens }) => {
        // A header cell without a text names nothing: for screen readers, it is a cell.
        for (const [at, open] of tokens.entries()) {
          const close = tokens[at + 2];
          if (open.type !== "th_open" || tokens[at + 1]?.content !== "" || !close) continue;
          open.tag = "td";
          close.tag = "td";
        }
      });
      // A word of code stays in one line: `--url` would break at its hyphens, `g o` at its space.
      const codeInline = md.renderer.rules.code_inline;
      md.renderer.rules.code_inline = (...args) => {
        const [tokens, at] = args;
        if ((tokens[at]?.content.length ?? 0) <= unbrokenMax) tokens[at]?.attrJoin("class", "unbroken");
        return codeInline?.(...args) ?? "";
      };
      // Vue interprets double braces, even in inline code.
      for (const rule of ["text", "code_inline"]) {
        const render = md.renderer.rules[rule];
        md.renderer.rules[rule] = (...args) =>
          (render?.(...args) ?? "").replaceAll("{{", "&#123;&#123;").replaceAll("}}", "&#125;&#125;");
      }
      // A path, and the code of a diagnostic, breaks after a slash, not within a word.
      const text = md.renderer.rules["text"];
      md.renderer.rules["text"] = (...args) =>
        (text?.(...args) ?? "").replace(/^[\w@.-]+(?:\/[\w@.-]+)+$/, (path) =>
          path.replaceAll("/", "/<wbr>"),
        );
    },
  },
  themeConfig: {
    version,
    versions,
    siteTitle: "Ninefold",
    nav: [
      { text: "Tutorial", link: "/docs/tutorial" },
      { text: "Guides", link: "/docs/" },
      { text: "Reference", link: "/docs/notation" },
      { text: "Diagnostics", link: "/docs/diagnostics/" },
      // A separate page that the generator doesn't route to.
      ...(isCurrent ? [{ text: "Playground", link: "/playground/index.html", target: "_self" }] : []),
      {
        text: version,
        items: [
          ...(versions.length > 1 ? [{ component: "VersionLinks" }] : []),
          { text: "Changelog", link: "/CHANGELOG" },
          { text: "Contributing", link: "/CONTRIBUTING" },
        ],
      },
    ],
    sidebar: {
      ...diagnosticsNavigation(),
      "/": navigation(),
    },
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        detailedView: false,
        async _render(source, env, md) {
          const html = await md.renderAsync(source, env);
          return unsearched.test(env.relativePath) ? "" : html;
        },
      },
    },
    footer: { message: `Ninefold ${version}, MIT licence` },
  },
});
