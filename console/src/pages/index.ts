/** The pages, in the order of the navigation. */
import { page as document } from "./document/index.tsx";
import { page as overview } from "./overview/index.tsx";
import type { Page } from "./page.ts";

export const pages: readonly Page[] = [overview, document];
