import { together } from "./together.ts";

together("rest-of-sources");
