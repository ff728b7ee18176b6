/** What oblivious.min.js holds. Written by scripts/bundle_client.mjs. */
export const PIN = "sha256-LVokbfN/fOzax9yUho/lMhC9uZDLlHvPwVLJQz6eZP0=";
