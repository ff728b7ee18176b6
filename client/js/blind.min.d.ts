export * from "./blind/index.js";
