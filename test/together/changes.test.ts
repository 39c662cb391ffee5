import { together } from "./together.ts";

together("changes");
