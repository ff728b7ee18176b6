/** What the files hold that only some surveys need. Written by scripts/bundle_client.mjs. */
export const PINS = {
  blind: "sha256-IEMGdvM2qcLIrsDs0eoMFhtMaZ/lsNQOXAfe5l3q75U=",
  oblivious: "sha256-LVokbfN/fOzax9yUho/lMhC9uZDLlHvPwVLJQz6eZP0=",
};
