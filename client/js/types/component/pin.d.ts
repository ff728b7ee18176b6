/** What oblivious.min.js holds. Written by scripts/bundle_client.mjs. */
export const PIN: "sha256-8y2LFAyX5rO9HAgX4XKafXQoPrGGXgt30GCTLTUjycc=";
