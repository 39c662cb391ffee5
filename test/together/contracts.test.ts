import { together } from "./together.ts";

together("contracts");
