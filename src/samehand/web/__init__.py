"""The web application: pages for curators, a REST interface and a reconciliation service over one library."""
