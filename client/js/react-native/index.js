/** `sottovoce/react-native` for a Metro that reads no "exports": React Native before 0.79. */
export * from "../programs/react-native.js";
