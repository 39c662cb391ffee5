import { together } from "./together.ts";

together("scope");
