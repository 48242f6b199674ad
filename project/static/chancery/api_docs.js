// Shows the API's description; nothing is loaded from elsewhere and nothing is kept in the browser.
"use strict";
const place = document.getElementById("api");
SwaggerUIBundle({
  url: place.dataset.openapi,
  domNode: place,
  deepLinking: true,
  docExpansion: "list",
  persistAuthorization: false,
  validatorUrl: null,
});
