/**
 * `ninefold export docs`: a site of plain files for users of the API. It needs no server, and sends
 * no request to any host but the given sandbox.
 */
import type { Model } from "../../model/model.ts";
import { planClient } from "../client/client-plan.ts";
import { loadLayout } from "../diagrams/layout.ts";
import {
  type Generated,
  type Output,
  type OutputOptions,
  addressOf,
  sandboxOption,
  serviceUrl,
  spaceHeaderOption,
  urlOption,
  versionOption,
} from "../output.ts";
import { wireOf } from "../wire/build-wire.ts";
import { assetFiles } from "./assets.ts";
import { createLinks } from "./links.ts";
import { llmsText, markdownPath } from "./llms.ts";
import { markdownOf } from "./markdown.ts";
import { pageText } from "./page.ts";
import { authenticationPage } from "./pages/authentication-page.ts";
import { endpointsPage } from "./pages/endpoints-page.ts";
import { errorsPage } from "./pages/errors-page.ts";
import { eventsPage } from "./pages/events-page.ts";
import { gapsPage } from "./pages/gaps-page.ts";
import { limitsPage } from "./pages/limits-page.ts";
import { overviewPage } from "./pages/overview-page.ts";
import { groupPage, resourcePage } from "./pages/resource-page.ts";
import { resourcesPage } from "./pages/resources-page.ts";
import { scenariosPage } from "./pages/scenarios-page.ts";
import { statesPage } from "./pages/states-page.ts";
import { versionsPage } from "./pages/versions-page.ts";
import type { Page, SearchEntry, Site } from "./site.ts";

const partPages: readonly ((site: Site) => Page)[] = [
  overviewPage,
  scenariosPage,
  resourcesPage,
  statesPage,
  endpointsPage,
  authenticationPage,
  eventsPage,
  errorsPage,
  limitsPage,
  versionsPage,
  gapsPage,
];

export const docsOutput: Output = {
  name: "docs",
  summary: "a documentation site that needs no server",
  gives: "folder",
  options: [versionOption, urlOption, sandboxOption, spaceHeaderOption],
  generate: siteFiles,
};

async function siteFiles(model: Model, options: OutputOptions): Promise<Generated> {
  const wire = wireOf(model, options["version"]);
  const url = serviceUrl(options);
  const sandbox = addressOf(options["sandbox"]);
  const site: Site = {
    model,
    wire,
    links: createLinks(model, wire),
    lay: await loadLayout(),
    client: planClient(wire),
    ...(url === undefined ? {} : { url }),
    ...(sandbox === undefined
      ? {}
      : { sandbox: { url: sandbox, spaceHeader: options["space-header"] ?? "Ninefold-Space" } }),
  };
  const pages = [...partPages.map((pageOf) => pageOf(site)), ...operationPages(site)];
  return {
    files: [
      ...pages.map((page) => ({ path: page.path, text: pageText(site, page) })),
      ...pages.map(({ path, body }) => ({ path: markdownPath(path), text: markdownOf(body.text) })),
      { path: "llms.txt", text: llmsText(site, pages) },
      ...assetFiles({ triesRequests: sandbox !== undefined }),
      { path: "search.js", text: searchText(pages.flatMap((page) => page.found)) },
    ],
    notes: wire.notes,
  };
}

function operationPages(site: Site): readonly Page[] {
  return site.links.operationPages.map((page) => {
    const resource = site.wire.resources.find((wireResource) => wireResource.name === page.resource);
    return resource ? resourcePage(site, page, resource) : groupPage(site, page);
  });
}

/**
 * The entries as a script, because a page opened from a disk can load nothing else. Parsing them as
 * JSON is fastest.
 */
function searchText(entries: readonly SearchEntry[]): string {
  const once = [...new Map(entries.map((entry) => [entry.u, entry])).values()];
  return `window.ninefoldSearch = JSON.parse(${JSON.stringify(JSON.stringify(once))});\n`;
}
