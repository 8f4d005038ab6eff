"""BasicCompanyData, the monthly file of all companies on the register of Companies House."""
