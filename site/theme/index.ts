/**
 * The site's theme: the generator's own with the fonts of the reader's system, colours with enough
 * contrast, and links to other versions.
 */
import type { Theme } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import { h } from "vue";
import "./colours.css";
import { NotFound } from "./not-found.ts";
import { EarlierNotice, VersionLinks } from "./versions.ts";

export default {
  extends: theme,
  Layout: () =>
    h(theme.Layout, null, { "doc-before": () => h(EarlierNotice), "not-found": () => h(NotFound) }),
  enhanceApp({ app }) {
    app.component("VersionLinks", VersionLinks);
  },
} satisfies Theme;
