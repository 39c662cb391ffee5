import { together } from "./together.ts";

together("docs-site");
